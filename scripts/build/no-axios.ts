import type { Plugin } from 'esbuild';

/** The part of axios that prometheus-query calls: one interceptor, and the adapter that it sets. */
const INSTANCE = `
  exports.create = (defaults) => {
    let prepare = (config) => config;
    return {
      interceptors: {
        request: { use: (onFulfilled) => { prepare = onFulfilled; } },
        response: { use: () => { throw new Error('axios is not in this bundle: it has no response interceptor'); } },
      },
      request: async (config) => {
        const prepared = await prepare({ ...defaults, ...config });
        return prepared.adapter(prepared);
      },
    };
  };
`;

/**
 * prometheus-query makes an axios instance for requests that Serin makes itself (src/metrics/providers/prometheus.ts). axios with its packages is 350 KB, and
 * reads Node's `fetch` when it is loaded, which loads undici: 5 MB of memory in a controller that calls neither.
 */
export const noAxios: Plugin = {
  name: 'no-axios',
  setup(build) {
    build.onResolve({ filter: /^axios$/ }, ({ path, importer }) =>
      importer.includes('node_modules/prometheus-query/') ? { path, namespace: 'axios-instance' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'axios-instance' }, () => ({ contents: INSTANCE, loader: 'js' }));
  },
};
