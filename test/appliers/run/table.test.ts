import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { applierVersions, APPLIERS as PROGRAMS } from '../../../scripts/e2e-appliers.ts';
import { startController } from '../../scenarios/controller.ts';
import { startRealEnvironment } from '../../scenarios/environment.ts';
import { startHookServer } from '../../scenarios/hook-server.ts';
import type { Applier } from '../applier.ts';
import { playApplier } from '../play.ts';
import { type Cell, MODES, type Results } from '../results.ts';
import { APP } from '../shop.ts';
import { argo, helm, kubectl } from '../tools/command-line.ts';
import { type Flux, startFlux } from '../tools/flux.ts';

const FILE = join(import.meta.dirname, '..', 'results.json');
/** `APPLIERS_MODE=stopped`: Serin does not run while a tool applies. `APPLIERS=helm-3,flux`: only these; what the file of results has of others stays. */
const { APPLIERS_MODE = 'running', APPLIERS = '' } = process.env;

/** The fields that Serin writes, as a Kustomization leaves them alone. */
const IGNORED = Object.entries({
  Service: '/spec/selector',
  HTTPRoute: '/spec/rules',
  VirtualService: '/spec/http',
  Deployment: '/spec/replicas',
}).map(([kind, path]) => ({ paths: [path], target: { kind, name: APP } }));

/** Each of Serin's objects that a tool resets is led back in this time, or the tool leaves it alone. */
it('each tool applies at each moment, and the table holds what it did', async () => {
  const mode = MODES.find((one) => one === APPLIERS_MODE);
  if (mode === undefined) throw new Error(`APPLIERS_MODE is one of ${MODES.join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'serin-appliers-'));
  const environment = await startRealEnvironment({ lagMs: [20, 100] });
  const hooks = await startHookServer();
  const flags = { 'scale-down-delay': '1s' };
  let controller = startController(environment, flags);
  let flux: Flux | undefined;
  const cells: Cell[] = [];
  const problems: string[] = [];
  try {
    const line = { kubeconfig: environment.adminKubeconfigFile, folder };
    const onlyNamed = APPLIERS.split(',').filter(Boolean);
    const isChosen = (id: string) => onlyNamed.length === 0 || onlyNamed.some((name) => id.startsWith(name));
    const programOf = async (name: keyof typeof PROGRAMS) =>
      isChosen(name) || onlyNamed.some((id) => id.startsWith(name)) ? PROGRAMS[name]() : '';
    const [helm3, helm4, kubectlProgram, argoProgram, fluxProgram] = [
      await programOf('helm-3'),
      await programOf('helm-4'),
      await programOf('kubectl'),
      await programOf('argo'),
      await programOf('flux'),
    ];
    if (fluxProgram) flux = await startFlux(fluxProgram, environment.cluster, line);
    const force = ['--server-side', '--force-conflicts'];
    const appliers: Applier[] = [
      helm(helm3, line, { id: 'helm-3', name: 'Helm 3' }, []),
      helm(helm4, line, { id: 'helm-4', name: 'Helm 4' }, []),
      helm(helm4, line, { id: 'helm-4-csa', name: 'Helm 4 `--server-side=false`' }, ['--server-side=false']),
      helm(helm4, line, { id: 'helm-4-force', name: 'Helm 4 `--force-conflicts`' }, ['--force-conflicts']),
      kubectl(kubectlProgram, line, { id: 'kubectl', name: '`kubectl apply`' }, []),
      kubectl(kubectlProgram, line, { id: 'kubectl-ssa', name: '`kubectl apply --server-side`' }, ['--server-side']),
      kubectl(kubectlProgram, line, { id: 'kubectl-force', name: '`kubectl apply --server-side --force-conflicts`' }, force),
      argo(argoProgram, line, { id: 'argo', name: 'Argo CD' }, ''),
      argo(argoProgram, line, { id: 'argo-ssa', name: 'Argo CD `ServerSideApply=true`' }, 'ServerSideApply=true'),
      ...(flux
        ? [
            flux.applier({ id: 'flux', name: 'Flux' }),
            flux.applier({ id: 'flux-ignore', name: 'Flux with `spec.ignore`', isRemedy: true }, { ignore: IGNORED }),
          ]
        : []),
    ];
    const meanwhile = async <T>(apply: () => Promise<T>): Promise<T> => {
      if (mode !== 'stopped') return apply();
      await controller.stop();
      try {
        return await apply();
      } finally {
        controller = startController(environment, flags, controller.logFile);
      }
    };
    for (const applier of appliers.filter(({ id }) => isChosen(id))) {
      const ground = { cluster: environment.cluster, hooks, proxyUrl: environment.mesh.url(0), meanwhile };
      const played = playApplier(ground, applier, (cell) => {
        cells.push(cell);
        process.stdout.write(`${JSON.stringify(cell)}\n`);
      });
      await played.catch((error: unknown) => problems.push(`${applier.id}: ${error}`));
    }
    const before: Results = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
    const played = new Set(cells.map((cell) => cell.applier));
    const others = (before[mode]?.cells ?? []).filter((cell) => !played.has(cell.applier));
    const of = { versions: applierVersions(), cells: [...others, ...cells] };
    writeFileSync(FILE, `${JSON.stringify({ ...before, [mode]: of }, undefined, 2)}\n`);
    expect(problems).toEqual([]);
    expect(cells.filter(({ moment, refused }) => moment === 'after deletion' && refused !== undefined)).toEqual([]);
  } finally {
    await flux?.stop();
    await controller.stop();
    await hooks.stop();
    await environment.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
