import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { platformNames } from '../scripts/executable/platforms.ts';
import { changelogSection, checkNames } from '../scripts/release/check-names.ts';
import { pinImage } from '../scripts/release/pin-image.ts';
import { releaseSettings } from '../scripts/release/settings.ts';
import { steps } from '../scripts/release/steps.ts';
import { checkRepository, homepage, issues, repository } from '../scripts/repository.ts';

const root = join(import.meta.dirname, '..');
const textOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');

interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}
interface Job {
  needs?: string | string[];
  uses?: string;
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  strategy?: { matrix: { include: { own: string; others?: string }[] } };
  env?: Record<string, string>;
  steps?: Step[];
}
interface Workflow {
  on: unknown;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const workflows = readdirSync(join(root, '.github', 'workflows'))
  .sort()
  .map((file) => ({ file, text: textOf('.github', 'workflows', file), workflow: parse(textOf('.github', 'workflows', file)) as Workflow }));
const release = parse(textOf('.github', 'workflows', 'release.yml')) as Workflow;
const stepsOf = (job: string): Step[] => release.jobs[job]?.steps ?? [];
const usesOf = (job: string, action: string): Step | undefined => stepsOf(job).find(({ uses }) => uses?.startsWith(`${action}@`));

describe.each(workflows)('the workflow $file', ({ text, workflow }) => {
  it('pins each action of others by a full commit, and says which version that is', () => {
    const named = [...text.matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, use = '']) => use);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((use) => !/^(\.\/\S+|[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(use))).toEqual([]);
  });

  it('gives no permission to all jobs but to read, and each job says what it needs', () => {
    expect(Object.entries(workflow.permissions).filter(([, right]) => right !== 'read')).toEqual([]);
    expect(Object.entries(workflow.jobs).filter(([, { permissions }]) => permissions === undefined)).toEqual([]);
  });

  it('lets nothing that a stranger may name, like a branch, become part of a script', () => {
    const scripts = Object.values(workflow.jobs).flatMap(({ steps = [] }) => steps.flatMap(({ run = [] }) => run));
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
    expect(JSON.stringify(workflow.on)).not.toContain('pull_request_target');
  });

  it('leaves no token in the checked-out folder, and ends by itself', () => {
    const jobs = Object.values(workflow.jobs).filter(({ uses }) => uses === undefined);
    const checkouts = jobs.flatMap(({ steps = [] }) => steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')));
    expect(checkouts.length).toBe(jobs.length);
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
    expect(jobs.filter((job) => !job['timeout-minutes'])).toEqual([]);
  });
});

describe('a release', () => {
  it('is made of what has passed the checks, and of nothing else', () => {
    expect(release.jobs.check?.uses).toBe('./.github/workflows/ci.yml');
    expect(release.jobs.executables?.needs).toBe('check');
    expect(release.jobs.windows?.needs).toBe('executables');
    expect(release.jobs.release?.needs).toEqual(['executables', 'windows']);
  });

  it('writes only where it must', () => {
    const rights = Object.fromEntries(Object.entries(release.jobs).map(([name, { permissions }]) => [name, permissions]));
    expect(rights).toEqual({
      check: { contents: 'read' },
      executables: { contents: 'read' },
      windows: { contents: 'read' },
      release: { contents: 'write', packages: 'write', 'id-token': 'write' },
    });
  });

  it('is made by the steps of a rehearsal, in its order, and by nothing else that pushes or signs', () => {
    const commands = stepsOf('release').flatMap(({ run = '' }) => run.split('\n'));
    const own = commands.flatMap((command) => /^node scripts\/release\/step\.ts (.*)$/.exec(command)?.[1] ?? []);
    expect(own).toEqual(steps.map(({ name }) => name));
    const others = commands.filter((command) => !command.startsWith('node scripts/release/step.ts '));
    expect(others.filter((command) => /cosign|helm|buildah|docker|npm publish|attest/.test(command))).toEqual([]);
    // Attached files are exactly the files that the steps have made.
    expect(commands.at(-1)).toMatch(/^gh release create .* --notes-file "\$RELEASE_FOLDER\/\.\.\/notes\.md" "\$RELEASE_FOLDER"\/\*$/);
  });

  it('its workflow has each setting that the steps need, is for both platforms, and signs without a key', () => {
    const written = stepsOf('release').flatMap(({ run = '' }) => [...run.matchAll(/^\s*echo "(\w+)=/gm)].map(([, name = '']) => name));
    const env = Object.fromEntries([...Object.keys(release.jobs.release?.env ?? {}), ...written].map((name) => [name, name]));
    expect(env).not.toHaveProperty('COSIGN_KEY');
    expect(env).not.toHaveProperty('PLAIN_HTTP');
    expect(release.jobs.release?.env?.PLATFORMS).toBe('linux/amd64,linux/arm64');
    const commit = 'a'.repeat(40);
    const bases = { build: 'b', runtime: 'r' };
    expect(releaseSettings({ ...env, RELEASE_COMMIT: commit }, () => bases)).toMatchObject({ commit, bases, signingKey: undefined });
    for (const name of ['RELEASE_TAG', 'RELEASE_FOLDER', 'RELEASE_BUILDER', 'IMAGE_REPOSITORY', 'CHART_REPOSITORY', 'PLATFORMS'])
      expect(() => releaseSettings({ ...env, RELEASE_COMMIT: commit, [name]: '' }, () => bases)).toThrow(
        `${name} is not set: give it, for example ${name}=`,
      );
    for (const wrong of ['http:///', 'registry.example.com'])
      expect(() => releaseSettings({ ...env, RELEASE_COMMIT: commit, PACKAGE_REGISTRY: wrong }, () => bases)).toThrow(
        `PACKAGE_REGISTRY is ${wrong}, which is not the address of a registry`,
      );
    expect(() => releaseSettings({ ...env, RELEASE_COMMIT: 'main' }, () => bases)).toThrow('RELEASE_COMMIT is main, which is not a commit');
  });

  it('is refused under a tag of another version', () => {
    const { version } = manifest;
    expect(() => checkNames({ version, tag: 'v9.9.9', repositoryUrl: undefined })).toThrow(`the tag v9.9.9 is not version ${version}`);
    expect(() => checkNames({ version, tag: `v${version}`, repositoryUrl: 'https://git.example/other/serin' })).toThrow('set it to');
  });

  it('has an executable for each platform, run before it is released where it can be, and a manifest for krew', () => {
    const { include = [] } = release.jobs.executables?.strategy?.matrix ?? {};
    expect(include.flatMap(({ own, others = '' }) => [own, ...others.split(' ')].filter(Boolean)).toSorted()).toEqual(
      platformNames.toSorted(),
    );
    const runs = (job: string) => stepsOf(job).flatMap(({ run = '' }) => run.split('\n'));
    expect(runs('executables')).toEqual(expect.arrayContaining(['npm run sea -- $OWN $OTHERS', '.ci/executable-smoke "executables/$OWN"']));
    expect(runs('windows')).toContain('.ci/executable-smoke windows');
    // An executable that the job which makes it cannot run is run by the other job.
    expect(include.flatMap(({ others = [] }) => others)).toEqual(['windows-amd64']);
    expect(usesOf('release', 'actions/download-artifact')?.with).toMatchObject({ pattern: 'executables-*', 'merge-multiple': true });
    expect(release.jobs.release?.env?.REPOSITORY_URL).toMatch(/github\.server_url }}\/.*github\.repository }}$/);
  });

  it('has one version everywhere', () => {
    const charts = readdirSync(join(root, 'charts')).map((chart) => parse(textOf('charts', chart, 'Chart.yaml')));
    expect(charts.length).toBeGreaterThan(0);
    expect(charts.map(({ version }) => version)).toEqual(charts.map(() => manifest.version));
    expect(charts.flatMap(({ appVersion }) => appVersion ?? []).filter((version) => version !== manifest.version)).toEqual([]);
    expect(textOf('Dockerfile')).toContain(`ARG VERSION=${manifest.version}\n`);
  });

  it('has one address everywhere, that of package.json, and is refused under another one', () => {
    expect({ homepage: manifest.homepage, bugs: manifest.bugs.url }).toEqual({ homepage, bugs: issues });
    for (const chart of readdirSync(join(root, 'charts'))) {
      const { home, sources, annotations } = parse(textOf('charts', chart, 'Chart.yaml'));
      expect({ home, sources }).toEqual({ home: homepage, sources: [repository] });
      const links: { url: string }[] = parse(annotations['artifacthub.io/links']);
      expect(links.map(({ url }) => url)).toEqual([homepage, issues]);
    }
    expect(textOf('Dockerfile')).toContain(`ARG SOURCE=${repository}\n`);
    const { contact_links: contacts } = parse(textOf('.github', 'ISSUE_TEMPLATE', 'config.yml')) as { contact_links: { url: string }[] };
    expect(contacts.filter(({ url }) => !url.startsWith(repository))).toEqual([]);

    checkRepository('https://git.example/Team/serin', 'https://git.example/team/serin');
    expect(() => checkRepository('https://git.example/other/serin', repository)).toThrow(
      'set it to git+https://git.example/other/serin.git',
    );
  });

  it('has an image with the labels of OCI for title, text, licence, version, commit and address', () => {
    const values = Object.fromEntries([...textOf('Dockerfile').matchAll(/^ARG (\w+)=(.*)$/gm)].map(([, ...pair]) => pair));
    const labels = [...textOf('Dockerfile').matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g)].map(([, name = '', text = '']) => [
      name,
      text.replaceAll(/\$\{(\w+)\}/g, (_, argument) => values[argument]),
    ]);
    const { name: title, description, license: licenses, version } = manifest;
    expect(Object.fromEntries(labels)).toEqual({
      ...{ title, description, licenses, version, revision: 'unknown' },
      ...{ source: repository, url: repository, documentation: homepage },
    });
  });

  it('has charts with a page on Artifact Hub; the chart with the resource definitions lists them', () => {
    const of = (chart: string): Record<string, string> => parse(textOf('charts', chart, 'Chart.yaml')).annotations;
    const files = readdirSync(join(root, 'charts', 'serin', 'files', 'crds')).map((file) =>
      parse(textOf('charts', 'serin', 'files', 'crds', file)),
    );
    const listed: { name: string; kind: string; description: string }[] = parse(of('serin')['artifacthub.io/crds'] ?? '');
    expect(new Set(listed.map(({ name, kind }) => `${kind} ${name}`))).toEqual(
      new Set(files.map(({ metadata, spec }) => `${spec.names.kind} ${metadata.name}`)),
    );
    expect(listed.filter(({ description }) => !description)).toEqual([]);
    for (const chart of ['grafana', 'loadtester']) expect(of(chart)).not.toHaveProperty(['artifacthub.io/crds']);
    for (const chart of readdirSync(join(root, 'charts'))) expect(of(chart)['artifacthub.io/license']).toBe(manifest.license);
  });

  it('the image is made of packages whose digests are in the lock file, and fetches nothing else', () => {
    const commands = [...textOf('Dockerfile').matchAll(/^RUN (.+)$/gm)].map(([, command]) => command);
    expect(commands).toEqual(['npm ci --ignore-scripts', 'npm run build']);
    expect(textOf('Dockerfile')).not.toMatch(/^ADD /m);
    const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { integrity?: string }> };
    const unproved = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !integrity?.startsWith('sha512-'));
    expect(unproved.map(([path]) => path)).toEqual([]);
  });

  it('the image is not root, has its bases as arguments, and gives the heap the share that the chart gives it', () => {
    const dockerfile = textOf('Dockerfile');
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+)/gm)].map(([, base = '']) => base);
    expect(bases.map((base) => base.replace(/^\$\{(\w+)\}$/, '$1'))).toEqual(['BUILD_IMAGE', 'RUNTIME_IMAGE']);
    const share = /--max-old-space-size-percentage=\d+/.exec(textOf('charts', 'serin', 'templates', 'deployment.yaml'))?.[0];
    expect(share).toBeDefined();
    expect(dockerfile).toContain(`NODE_OPTIONS=${share}\n`);
    // Without a RUN in the last stage, nothing is executed for a platform other than the builder's.
    expect(dockerfile.split(/^FROM /m).at(-1)).not.toMatch(/^RUN /m);
  });
});

describe('the files of a release', () => {
  const image = { repository: 'registry.example/serin', digest: `sha256:${'a'.repeat(64)}` };

  it('charts start the image of their release, by digest; the words about the values stay', () => {
    const before = textOf('charts', 'serin', 'values.yaml');
    const after = pinImage(before, image);
    expect(parse(after)).toEqual({ ...parse(before), image: { ...parse(before).image, ...image } });
    expect(after.match(/^\s*#.*$/gm)).toEqual(before.match(/^\s*#.*$/gm));
    expect(pinImage('a: 1 # b\n', image)).toBe('a: 1 # b\n');
  });

  it('the charts of the checkout name no image, which anyone could publish', () => {
    const values = readdirSync(join(root, 'charts')).map(
      (chart) => parse(textOf('charts', chart, 'values.yaml')) as { image?: { repository?: string } },
    );
    expect(values.flatMap(({ image: one }) => one?.repository ?? [])).toEqual(['', '']);
  });

  it('a chart without a digest is not made', () => {
    expect(() => pinImage('image: { repository: serin }', { ...image, digest: '' })).toThrow('the digest of the image is missing');
  });

  it('the changelog sorts each change as added, changed, deprecated, removed or fixed', () => {
    const [, ...sections] = textOf('CHANGELOG.md').split(/^## .*$/m);
    const parts = sections.flatMap((section) => section.split(/^### /m).slice(1));
    const titles = parts.map((part) => part.split('\n', 1)[0]);
    expect(titles.filter((title) => !['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed'].includes(title ?? ''))).toEqual([]);
    const unsorted = sections.flatMap((section) => section.split(/^### /m)[0]?.match(/^- .*/gm) ?? []);
    expect(unsorted).toEqual([]);
    expect(parts.length).toBeGreaterThan(0);
  });

  it('its notes are the section of its version, and a version without one is not released', () => {
    const changelog = '# Changelog\n\n## 1.1.0\n\n- new\n\n## 1.0.0 (2026-01-01)\n\n- old\n';
    expect(changelogSection(changelog, '1.1.0')).toBe('- new');
    expect(changelogSection(changelog, '1.0.0')).toBe('- old');
    expect(() => changelogSection(changelog, '1.1')).toThrow('has no section ## 1.1');
  });
});
