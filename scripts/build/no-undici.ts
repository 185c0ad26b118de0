import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const BY_CLASS = 'options.body instanceof FormData';
const BY_TAG = "Object.prototype.toString.call(options.body) === '[object FormData]'";

/** got checks if a body is a `FormData`. For that Node loads undici: 20 ms, and 5 MB of memory from the first webhook on. */
export const noUndici: Plugin = {
  name: 'no-undici',
  setup(build) {
    build.onLoad({ filter: /node_modules[\\/]got[\\/]dist[\\/]source[\\/]core[\\/]index\.js$/ }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      if (!contents.includes(BY_CLASS)) throw new Error(`got has changed: it does not test ${BY_CLASS}`);
      return { contents: contents.replaceAll(BY_CLASS, BY_TAG), loader: 'js' };
    });
  },
};
