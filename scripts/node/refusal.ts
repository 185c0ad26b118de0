import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Enters the namespaces in which a real node lives. */
export const NAMESPACES = join(import.meta.dirname, '..', '..', 'test', 'node', 'namespaces.sh');

/** Why this machine cannot have a node; undefined: it can. */
export function refusal(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux';
  const folder = mkdtempSync(join(tmpdir(), 'serin-node-trial-'));
  const { status, stderr, error } = spawnSync('bash', [NAMESPACES, folder, 'true'], { encoding: 'utf8' });
  rmSync(folder, { recursive: true, force: true });
  return status === 0 ? undefined : `this machine permits no namespaces of its own: ${error?.message ?? stderr.trim()}`;
}
