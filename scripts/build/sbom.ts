import { execFileSync } from 'node:child_process';
import type { BundledPackage } from './bundled-packages.ts';

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
  properties?: { name: string; value: string }[];
  [field: string]: unknown;
}

/** The fields of a CycloneDX bill of materials that are used here. */
export interface Bom {
  metadata: { component: Component; tools?: unknown; lifecycles?: { phase: string }[] };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
  [field: string]: unknown;
}

/** The packages of the lock file, by npm itself: with versions, licences and the digests that npm checks when it installs. Needs no network. */
export function lockedPackages(root: string): Bom {
  // With those for development: a package that serves both is left out with them.
  const flags = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  return JSON.parse(execFileSync('npm', ['sbom', ...flags], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })) as Bom;
}

/**
 * The bill of materials of the bundle: of all packages in the lock file only those with code in it. The same bundle gives the same bytes, so
 * it has neither a serial number nor a time.
 */
export function bundleBom(locked: Bom, packages: readonly BundledPackage[]): Bom {
  const { serialNumber: _, metadata, components, dependencies, ...rest } = locked;
  const bundled = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const kept = components.filter(({ name, version }) => bundled.delete(`${name}@${version}`)).map(asShipped);
  if (bundled.size > 0) throw new Error(`in the bundle and not in the lock file: ${[...bundled].join(', ')}: run npm ci`);
  const refs = new Set([metadata.component['bom-ref'], ...kept.map((one) => one['bom-ref'])]);
  return {
    ...rest,
    metadata: { lifecycles: [{ phase: 'build' }], tools: metadata.tools, component: { ...metadata.component, name: 'serin' } },
    components: kept,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
  };
}

/** The component of a package that is in the bundle, though npm installs it only for development. */
function asShipped({ properties = [], ...one }: Component): Component {
  const others = properties.filter(({ name }) => name !== 'cdx:npm:package:development');
  return { ...one, scope: 'required', ...(others.length > 0 && { properties: others }) };
}
