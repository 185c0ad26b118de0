import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

const PACKAGE = '@kubernetes/client-node';
/** Modules that import undici and are never called: requests and watches are ours, on node:https (src/kube/transport.ts). */
const NO_UNDICI = `
  const refuse = () => { throw new Error('undici is not in this bundle: requests go through src/kube/transport.ts'); };
  export class Agent { constructor() { refuse(); } }
  export class ProxyAgent { constructor() { refuse(); } }
  export const fetch = refuse;
`;

/** Its index names all models and APIs, 17 MB to parse; reading credentials takes two functions of it. */
const GENERATED_INDEX = /[\\/]client-node[\\/]dist[\\/]gen[\\/]index\.js$/;
const GENERATED = `
  export { createConfiguration } from './configuration.js';
  export { ServerConfiguration } from './servers.js';
`;

/**
 * Only the reading of credentials is used of client-node. It does not say that its thousands of models have no side effects, so that all of them, 3 MB, would
 * be loaded at every start of the controller; and undici, another 740 KiB, for requests that it never makes.
 */
export const clientNodeConfigOnly: Plugin = {
  name: 'client-node-config-only',
  setup(build) {
    const isAsked = Symbol('resolved by this plugin');
    build.onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      const isOfPackage = importer.includes(`node_modules/${PACKAGE}/`);
      if (pluginData === isAsked || !(isOfPackage || path === PACKAGE)) return undefined;
      if (path === 'undici') return { path, namespace: 'left-out' };
      const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: isAsked });
      if (path === PACKAGE) return { ...found, path: join(dirname(found.path), 'config.js'), sideEffects: false };
      return found.path.includes(`node_modules/${PACKAGE}/`) ? { ...found, sideEffects: false } : undefined;
    });
    build.onLoad({ filter: GENERATED_INDEX }, ({ path }) => ({ contents: GENERATED, loader: 'js', resolveDir: dirname(path) }));
    build.onLoad({ filter: /^undici$/, namespace: 'left-out' }, () => ({ contents: NO_UNDICI, loader: 'js' }));
  },
};
