import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, root } from '../scripts/build/bundle.ts';
import { bundledPackages, packageFolder } from '../scripts/build/bundled-packages.ts';
import { notices } from '../scripts/build/notices.ts';
import { type Bom, bundleBom, lockedPackages } from '../scripts/build/sbom.ts';

let metafile: Metafile;
const outdir = mkdtempSync(join(tmpdir(), 'serin-bundle-'));
beforeAll(async () => {
  metafile = await bundle({ write: true, outdir });
}, 600_000);
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

const textsIn = (folder: string, pattern: string): string[] =>
  globSync(pattern, { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));

/** The chunk that an import of one of our modules loads. */
function chunkOf(module: string): string {
  const entry = Object.keys(metafile.outputs).find((file) => metafile.outputs[file]?.entryPoint === module);
  if (entry === undefined) throw new Error(`${module} is not imported lazily: it has no chunk of its own`);
  return entry;
}

/** Source files that are in memory after an import of one of our modules: the files of its chunk, and of all chunks that it imports by a statement. */
function loadedWith(module: string): string[] {
  const chunks = new Set<string>();
  const add = (file: string): void => {
    if (chunks.has(file)) return;
    chunks.add(file);
    for (const { path, kind, external } of metafile.outputs[file]?.imports ?? []) if (kind === 'import-statement' && !external) add(path);
  };
  add(chunkOf(module));
  return [...chunks].flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {}));
}

const packagesIn = (inputs: readonly string[]): string[] =>
  [...new Set(inputs.flatMap((input) => packageFolder(input)?.replace(/^.*node_modules\//, '') ?? []))].sort();

describe('the bundle', () => {
  it('the version of Node is looked at before any package is loaded', () => {
    expect(packagesIn(loadedWith('src/cli/main.ts'))).toEqual([]);
  });

  it('help and version load the parser of the command line, and nothing else', () => {
    expect(packagesIn(loadedWith('src/cli/program.ts'))).toEqual(['commander']);
  });

  it.each([
    {
      command: 'controller',
      module: 'src/cli/controller/controller-command.ts',
      without: /^(@kubernetes|@aws-sdk|@smithy|google-auth-library|ws|@lezer|@marcbachmann)/,
    },
    {
      command: 'loadtester',
      module: 'src/cli/loadtester/loadtester-command.ts',
      without: /^(@kubernetes|@aws-sdk|@smithy|google-auth-library|ws|@lezer|@marcbachmann|got|xstate)/,
    },
    {
      command: 'validate',
      module: 'src/cli/validate/validate.ts',
      without: /^(@kubernetes|@aws-sdk|@smithy|got|pino|@prometheus-io\/client|prometheus-query|axios|xstate|@lezer)/,
    },
    { command: 'chart', module: 'src/engine/diagram.ts', without: /^(?!zod$|xstate$)/ },
    { command: 'crds', module: 'src/cli/crds/crds-command.ts', without: /^(?!zod$)/ },
    {
      command: 'what asks a cluster',
      module: 'src/cli/canaries/session.ts',
      without: /^(@kubernetes|got|pino|@prometheus-io\/client|prometheus-query|axios|xstate|@lezer|@marcbachmann)/,
    },
  ])('$command does not load what only others need', ({ module, without }) => {
    expect(packagesIn(loadedWith(module)).filter((name) => without.test(name))).toEqual([]);
  });

  it('only the demo loads the cluster inside the process', () => {
    const ofTheCluster = (module: string) => loadedWith(module).filter((input) => input.startsWith('src/embedded/'));
    expect(ofTheCluster('src/cli/demo/demo-run.ts')).not.toEqual([]);
    expect(
      ['src/cli/program.ts', 'src/cli/controller/controller-command.ts', 'src/cli/loadtester/loadtester-command.ts'].flatMap(ofTheCluster),
    ).toEqual([]);
  });

  it('imports modules of Node, and no package but three that ws and debug try to load and work without', () => {
    const outside = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.flatMap(({ path, external }) => (external ? [path] : [])),
    );
    expect(outside.length).toBeGreaterThan(10);
    const foreign = new Set(outside.filter((path) => !isBuiltin(path)));
    expect(foreign).toEqual(new Set(['bufferutil', 'supports-color', 'utf-8-validate']));
  });

  it('requires http: an import of it reads all its exports, which loads undici at each start', () => {
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    expect(imports.filter(({ path, kind }) => /^(node:)?https?$/.test(path) && kind === 'import-statement')).toEqual([]);
  });

  it('got needs no `FormData`, which loads undici at the first webhook', () => {
    expect(textsIn(outdir, '**/*.js').filter((text) => text.includes('options.body instanceof FormData'))).toEqual([]);
  });

  it.each(['src/cli/controller/controller-command.ts', 'src/cli/loadtester/loadtester-command.ts'])(
    '%s is loaded without the tables of languages, which take 6 MB',
    (module) => {
      const before = join(outdir, 'no-intl.mjs');
      const refusing = 'new Proxy(function () {}, { construct() { throw new Error("Intl is used"); } })';
      writeFileSync(before, `for (const name of Object.getOwnPropertyNames(Intl)) if (/^[A-Z]/.test(name)) Intl[name] = ${refusing};`);
      // With a package.json, as the image has it.
      writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }');
      const importing = `await import(${JSON.stringify(pathToFileURL(join(root, chunkOf(module))).href)}); process.exit();`;
      expect(execFileSync(process.execPath, ['--import', before, '--input-type=module', '--eval', importing], { encoding: 'utf8' })).toBe(
        '',
      );
    },
  );

  it('our code that is loaded with the controller compares and shows texts without the tables of languages', () => {
    const ours = loadedWith('src/cli/controller/controller-command.ts').filter((input) => input.startsWith('src/'));
    const uses = (input: string) => /\.localeCompare\(|\.toLocale\w+\(|\bIntl\./.test(readFileSync(join(root, input), 'utf8'));
    expect(ours.length).toBeGreaterThan(300);
    expect(ours.filter(uses)).toEqual([]);
  });

  it('names errors as the source does: logs and events show the names', () => {
    const named = textsIn(root, 'src/**/*.ts').flatMap((text) =>
      [...text.matchAll(/^export class (\w+Error) extends/gm)].flatMap(([, name]) => name ?? []),
    );
    const texts = textsIn(outdir, '**/*.js');
    const isNamed = (name: string) =>
      texts.some((text) => text.includes(`class ${name} extends`) || text.includes(`${name}=class extends`));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !isNamed(name))).toEqual([]);
  });

  it('of client-node only its reading of credentials is bundled, without its models and without undici', () => {
    const ofClientNode = loadedWith('src/kube/client-node.ts');
    expect(ofClientNode).toContain('node_modules/@kubernetes/client-node/dist/config.js');
    expect(ofClientNode.filter((input) => input.includes('/gen/models/') || input.includes('/gen/apis/'))).toEqual([]);
    expect(bundledPackages(metafile, root).map(({ name }) => name)).not.toContain('undici');
  });

  it('of the languages of zod only English is bundled', () => {
    const languages = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter((input) => input.includes('zod/v4/locales/') && (inputs[input]?.bytesInOutput ?? 0) > 0),
    );
    expect([...new Set(languages)]).toEqual(['node_modules/zod/v4/locales/en.js']);
  });

  it('has a licence text for every package whose code is in it', () => {
    const packages = bundledPackages(metafile, root);
    const text = notices(packages, readFileSync(join(root, 'LICENSE'), 'utf8'));
    expect(packages.length).toBeGreaterThan(20);
    for (const { name, version, licence } of packages) expect(text).toContain(`\n${name} ${version} (${licence})\n`);
  });

  it('has a bill of materials that names each package in it, with version, licence and digest, and no other', () => {
    const packages = bundledPackages(metafile, root);
    const { components, metadata } = bundleBom(lockedPackages(root), packages);
    const names = (all: readonly { name: string; version: string }[]) => all.map(({ name, version }) => `${name}@${version}`).sort();
    expect(names(components)).toEqual([...new Set(names(packages))]);
    expect(components.filter(({ purl, hashes, licenses }) => !purl || !hashes || !licenses)).toEqual([]);
    expect(components.filter(({ properties }) => JSON.stringify(properties ?? []).includes('development'))).toEqual([]);
    expect(metadata.component).toMatchObject({ type: 'application', name: 'serin' });
  });
});

describe('the bill of materials', () => {
  const component = (name: string) => ({ 'bom-ref': `${name}@1.0.0`, name, version: '1.0.0' });
  const bundled = (name: string) => ({ folder: '', name, version: '1.0.0', licence: 'MIT' });
  const locked: Bom = {
    specVersion: '1.5',
    serialNumber: 'urn:uuid:1',
    metadata: { component: component('checkout-folder') },
    components: [component('used'), component('below'), component('shaken-out')],
    dependencies: [
      { ref: 'checkout-folder@1.0.0', dependsOn: ['used@1.0.0', 'shaken-out@1.0.0'] },
      { ref: 'used@1.0.0', dependsOn: ['below@1.0.0', 'shaken-out@1.0.0'] },
      { ref: 'shaken-out@1.0.0', dependsOn: [] },
    ],
  };

  it('leaves out what has no code in the bundle, as a part and as a dependency, and what differs from build to build', () => {
    const bom = bundleBom(locked, [bundled('used'), bundled('below')]);
    expect(bom.components.map(({ name }) => name)).toEqual(['used', 'below']);
    expect(bom.dependencies).toEqual([
      { ref: 'checkout-folder@1.0.0', dependsOn: ['used@1.0.0'] },
      { ref: 'used@1.0.0', dependsOn: ['below@1.0.0'] },
    ]);
    expect(bom).not.toHaveProperty('serialNumber');
    expect(bom.metadata.component.name).toBe('serin');
  });

  it('a package in the bundle that the lock file does not name stops the build', () => {
    expect(() => bundleBom(locked, [bundled('smuggled')])).toThrow('in the bundle and not in the lock file: smuggled@1.0.0');
  });
});

describe('licence notices', () => {
  const apache = 'the Apache License';
  const one = (name: string, licence: string) => ({
    folder: join(root, 'node_modules', name),
    name,
    version: '1.0.0',
    licence,
  });

  it('a text in the README counts for a package without a file of its own', () => {
    expect(notices([one('data-uri-to-buffer', 'MIT')], apache)).toMatch(/Nathan Rajlich[\s\S]*Permission is hereby granted/);
  });

  it('the Apache License reads the same for everybody', () => {
    expect(notices([one('@aws-sdk/nested-clients', 'Apache-2.0')], apache)).toContain(apache);
  });

  it('a package without a text is not shipped', () => {
    const folder = join(import.meta.dirname, 'fakes');
    expect(() => notices([{ folder, name: 'silent', version: '1.0.0', licence: 'MIT' }], apache)).toThrow(
      'silent 1.0.0 (MIT) ships no licence text',
    );
  });
});
