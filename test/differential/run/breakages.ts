import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLAIN, type Scenario } from '../scenarios/scenario.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Serin with one mistake: the text of one file, exchanged. */
export interface Breakage {
  name: string;
  file: string;
  from: string;
  to: string;
  scenario: Scenario;
  /** The difference that shows it. */
  aspect: RegExp;
}

export const BREAKAGES: readonly Breakage[] = [
  {
    name: 'readiness is ignored',
    file: 'workloads/deployment/readiness.ts',
    from: 'if (ready < needed)',
    to: 'if (ready < Math.min(1, needed))',
    scenario: { ...PLAIN, pods: 'one-unready', deadline: 'short' },
    aspect: /^(readiness|phases)$/,
  },
  {
    name: 'a gate is skipped',
    file: 'webhooks/run-hooks.ts',
    from: 'const hooks = hooksOf(canary, type);',
    to: "const hooks = type === 'confirm-traffic-increase' ? [] : hooksOf(canary, type);",
    scenario: { ...PLAIN, gate: 'traffic-opens' },
    aspect: /^hook order$/,
  },
  {
    name: 'another query is asked',
    file: 'routers/istio/observer.ts',
    from: `'response_code!~"5.*"',`,
    to: `'response_code!~"[45].*"',`,
    scenario: { ...PLAIN, checks: 'builtin' },
    aspect: /^query: /,
  },
  {
    name: 'a payload has another phase',
    file: 'webhooks/hook-payload.ts',
    from: 'return { name, namespace, phase, checksum,',
    to: "return { name, namespace, phase: 'Initialized', checksum,",
    scenario: { ...PLAIN, hook: 'rollout' },
    aspect: /^calls of hook$/,
  },
  {
    name: 'a weight is off by one',
    file: 'engine/next-weight.ts',
    from: 'current + analysis.stepWeight)',
    to: 'current + analysis.stepWeight + 1)',
    scenario: PLAIN,
    aspect: /^weights in Progressing$/,
  },
];

/** The file with that mistake. */
export function brokenText({ file, from, to }: Breakage): string {
  const text = readFileSync(join(ROOT, 'src', file), 'utf8');
  if (!text.includes(from)) throw new Error(`src/${file} has no longer the text that is broken here: ${from}`);
  return text.replaceAll(from, to);
}

/** Path of the program of a copy of the sources with that mistake in it. */
export function brokenCopy(breakage: Breakage): string {
  const folder = mkdtempSync(join(tmpdir(), 'serin-broken-'));
  for (const each of ['src', 'charts', 'package.json']) cpSync(join(ROOT, each), join(folder, each), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'src', breakage.file), brokenText(breakage));
  return join(folder, 'src', 'cli', 'main.ts');
}
