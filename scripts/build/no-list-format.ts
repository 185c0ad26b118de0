import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const EAGER = /= (new Intl\.ListFormat\('en', \{ style: 'long', type: '(?:con|dis)junction' \}\));/g;

/** `is`, a package of got, makes two `Intl.ListFormat` for its messages when it is loaded. They cost 6 MB of memory: they are made for a message. */
export const noListFormat: Plugin = {
  name: 'no-list-format',
  setup(build) {
    build.onLoad({ filter: /node_modules[\\/]@sindresorhus[\\/]is[\\/]distribution[\\/]index\.js$/ }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      if (contents.match(EAGER)?.length !== 2)
        throw new Error('@sindresorhus/is has changed: it does not make two lists with Intl.ListFormat');
      return { contents: contents.replace(EAGER, '= { format: (list) => $1.format(list) };'), loader: 'js' };
    });
  },
};
