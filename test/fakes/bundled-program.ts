import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundle } from '../../scripts/build/bundle.ts';

declare module 'vitest' {
  interface ProvidedContext {
    program: string;
  }
}

/** Bundles `serin` before the first test, and before each rerun of `vitest --watch`. */
export default async function setup(project: TestProject): Promise<() => void> {
  const outdir = mkdtempSync(join(tmpdir(), 'serin-program-'));
  const build = async () => {
    await bundle({ write: true, outdir });
  };
  await build();
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }\n');
  project.onTestsRerun(build);
  project.provide('program', join(outdir, 'serin.js'));
  return () => rmSync(outdir, { recursive: true, force: true });
}
