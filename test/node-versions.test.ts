import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import sums from '../scripts/executable/node-checksums.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const textOf = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const tried = textOf('.ci', 'node-versions.txt').match(/^\d+\.\d+\.\d+$/gm) ?? [];
const oldest = manifest.engines.node.replace('>=', '');
const majorOf = (version: string): number => Number(version.split('.', 1)[0]);

describe('versions of Node', () => {
  it('that the package is tried on are the oldest of `engines`, the version of the image, and a newer version', () => {
    expect(manifest.engines.node).toMatch(/^>=\d+\.\d+$/);
    expect(tried.map((version) => (version === `${oldest}.0` ? 'oldest' : version === sums.version ? 'image' : 'newest'))).toEqual([
      'oldest',
      'image',
      'newest',
    ]);
    expect(majorOf(tried[2] ?? '')).toBeGreaterThan(majorOf(sums.version));
    expect(textOf('.ci', 'run')).toContain('bash .ci/package-smoke\n');
  });

  it('are the same in README, support.md, CONTRIBUTING.md and the tutorials', () => {
    for (const page of [['README.md'], ['docs', 'support.md'], ['CONTRIBUTING.md'], ['docs', 'tutorials', 'istio.md']]) {
      const text = textOf(...page).replaceAll(/\s+/g, ' ');
      const named = [...text.matchAll(/Node (\d+\.\d+) or newer/g)].map(([, version]) => version);
      expect(new Set(named), page.join('/')).toEqual(new Set([oldest]));
    }
  });

  it('are of one major for contributors, workflow and image', () => {
    const major = majorOf(sums.version);
    expect(textOf('.nvmrc')).toBe(`${major}\n`);
    expect(majorOf(manifest.devDependencies.node.replace('^', ''))).toBe(major);
    const { jobs } = parse(textOf('.github', 'workflows', 'ci.yml'));
    const setup = jobs.run.steps.find(({ uses = '' }) => uses.startsWith('actions/setup-node@'));
    expect(setup.with).toEqual({ 'node-version-file': '.nvmrc' });
    expect(textOf('Dockerfile')).toContain(`ARG BUILD_IMAGE=node:${major}-`);
    expect(textOf('Dockerfile')).toContain(`nodejs${major}-`);
  });
});
