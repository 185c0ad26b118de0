import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importGraph } from '../scripts/import-graph.ts';
import { imageInputs } from '../scripts/node/image-inputs.ts';

const root = join(import.meta.dirname, '..');
const inputs = imageInputs(root);
const ofScripts = (files: Iterable<string>): string[] => [...files].filter((file) => file.startsWith('scripts/')).toSorted();

describe('the inputs of the image', () => {
  it('have of the scripts what the build loads, and no other: a change of another script makes no new image', () => {
    const built = importGraph(root, ['src', 'scripts']).reachedFrom(['scripts/build.ts'], ['load', 'lazy']);
    expect(ofScripts(inputs)).toEqual(ofScripts(built.keys()));
  });

  it('have every program that the image runs, and no test', () => {
    const run = importGraph(root, ['src']).reachedFrom(['src/cli/main.ts'], ['load', 'lazy']);
    expect([...run.keys()].filter((file) => !inputs.includes(file))).toEqual([]);
    expect(inputs.filter((file) => /\.test\.tsx?$/.test(file))).toEqual([]);
  });

  it('have what says how the image is made, and what is installed in it', () => {
    expect(inputs).toEqual(
      expect.arrayContaining(['Dockerfile', '.dockerignore', 'package.json', 'package-lock.json', '.npmrc', 'LICENSE']),
    );
  });

  it('start Node with the same flags in the chart, where the compiler is switched off', () => {
    const entryPoint: string[] = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1] ?? '');
    const template = readFileSync(join(root, 'charts', 'serin', 'templates', 'deployment.yaml'), 'utf8');
    const command: string[] = JSON.parse(/^ *command: (\[.+)$/m.exec(template)?.[1] ?? '');
    expect(command).toEqual(entryPoint.flatMap((word) => (word === 'node' ? ['node', '--no-opt'] : [word])));
  });
});
