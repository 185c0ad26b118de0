import child from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Holds what `unit` and `simulated` are: a test of these tiers that opens a socket for others or starts a process fails, and the error names the
 * tier that it belongs to.
 */
const refuse = (what: string) => (): never => {
  throw new Error(`a test of this tier ${what}: rename its file to *.integration.test.ts`);
};

net.Server.prototype.listen = refuse('opens a socket');
for (const start of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const)
  Object.defineProperty(child, start, { value: refuse('starts a process') });
syncBuiltinESMExports();
