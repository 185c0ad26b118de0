import type { Plugin } from 'esbuild';

/**
 * An ES module that imports `node:http` reads all its exports, and `WebSocket` among them loads undici: 40 ms at each start. `require` reads only the used
 * exports.
 */
export const requiredHttp: Plugin = {
  name: 'required-http',
  setup(build) {
    build.onResolve({ filter: /^(?:node:)?https?$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path: path.replace(/^node:/, ''), namespace: 'required' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('node:${path}');`,
      loader: 'js',
    }));
  },
};
