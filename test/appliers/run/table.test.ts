import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { applierVersions, APPLIERS as PROGRAMS } from '../../../scripts/e2e-appliers.ts';
import { apexGuardObjects } from '../../../scripts/kustomize/manifests.ts';
import { startController } from '../../scenarios/controller.ts';
import { startRealEnvironment } from '../../scenarios/environment.ts';
import { startHookServer } from '../../scenarios/hook-server.ts';
import type { Applier } from '../applier.ts';
import { playAppliers } from '../play.ts';
import { type Cell, MODES, MOMENTS, type Mode, type Results } from '../results.ts';
import { APP, SUBJECTS } from '../shop.ts';
import { argo, helm, kubectl, leavingOut } from '../tools/command-line.ts';
import { type Flux, startFlux } from '../tools/flux.ts';
import { terraform } from '../tools/terraform.ts';

const FILE = join(import.meta.dirname, '..', 'results.json');
/**
 * `APPLIERS_MODE=stopped`: Serin does not run while a tool applies; `guarded`: with the apex guard. `APPLIERS=helm-3,flux`: only these; what the file
 * of results has of others stays.
 */
const { APPLIERS_MODE = 'running', APPLIERS = '' } = process.env;
/** Number of tools that are played together. Times are only meaningful while Serin runs, so fewer tools are busy then. */
const TOGETHER = { running: 4, stopped: 12, guarded: 12 } as const;
/** The fields that Serin writes. */
const FIELDS = [
  { group: '', kind: 'Service', path: '/spec/selector' },
  { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', path: '/spec/rules' },
  { group: 'networking.istio.io', kind: 'VirtualService', path: '/spec/http' },
  { group: 'apps', kind: 'Deployment', path: '/spec/replicas' },
];
/** Ignored fields for a Kustomization of Flux, an Application of Argo CD and resources of Terraform. */
const IGNORED = {
  flux: FIELDS.map(({ kind, path }) => ({ paths: [path], target: { kind, name: APP } })),
  argo: FIELDS.map(({ group, kind, path }) => ({ group, kind, name: APP, jsonPointers: [path] })),
  terraform: {
    Service: ['metadata[0].annotations', 'spec[0].selector'],
    Deployment: ['metadata[0].annotations', 'spec[0].replicas'],
  },
};
const REMEDY = { isRemedy: true } as const;

it('each tool applies at each moment, and the table holds what it did', async () => {
  const mode = MODES.find((one) => one === APPLIERS_MODE);
  if (mode === undefined) throw new Error(`APPLIERS_MODE is one of ${MODES.join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'serin-appliers-'));
  const environment = await startRealEnvironment({ lagMs: [20, 100] });
  const hooks = await startHookServer();
  const flags = { 'scale-down-delay': '1s' };
  if (mode === 'guarded') for (const object of apexGuardObjects()) await environment.cluster.apply(object);
  let controller = startController(environment, flags);
  let flux: Flux | undefined;
  const cells: Cell[] = [];
  const problems: string[] = [];
  try {
    const line = { kubeconfig: environment.adminKubeconfigFile, folder };
    const onlyNamed = APPLIERS.split(',').filter(Boolean);
    const isChosen = (id: string) => onlyNamed.length === 0 || onlyNamed.some((name) => id.startsWith(name));
    const programOf = async (name: keyof typeof PROGRAMS) =>
      onlyNamed.length === 0 || onlyNamed.some((id) => id.startsWith(name) || name.startsWith(id)) ? PROGRAMS[name]() : '';
    const of = {
      helm3: await programOf('helm-3'),
      helm316: await programOf('helm-316'),
      helm4: await programOf('helm-4'),
      kubectl: await programOf('kubectl'),
      argo: await programOf('argo'),
      tofu: { tofu: await programOf('tofu'), provider: await programOf('tofu-kubernetes') },
    };
    const fluxProgram = await programOf('flux');
    if (fluxProgram) flux = await startFlux(fluxProgram, environment.cluster, line);
    const keep = { 'helm.sh/resource-policy': 'keep' };
    const appliers: Applier[] = [
      helm(of.helm316, line, { id: 'helm-316', name: 'Helm 3.16' }, []),
      helm(of.helm3, line, { id: 'helm-3', name: 'Helm 3' }, []),
      leavingOut(helm(of.helm3, line, { id: 'helm-3-less', name: 'Helm 3, left out of the chart', ...REMEDY }, []), keep),
      helm(of.helm4, line, { id: 'helm-4', name: 'Helm 4' }, []),
      helm(of.helm4, line, { id: 'helm-4-csa', name: 'Helm 4 `--server-side=false`' }, ['--server-side=false']),
      helm(of.helm4, line, { id: 'helm-4-force', name: 'Helm 4 `--force-conflicts`' }, ['--force-conflicts']),
      leavingOut(helm(of.helm4, line, { id: 'helm-4-less', name: 'Helm 4, left out of the chart', ...REMEDY }, []), keep),
      kubectl(of.kubectl, line, { id: 'kubectl', name: '`kubectl apply`' }, []),
      kubectl(of.kubectl, line, { id: 'kubectl-ssa', name: '`kubectl apply --server-side`' }, ['--server-side']),
      kubectl(of.kubectl, line, { id: 'kubectl-force', name: '`kubectl apply --server-side --force-conflicts`' }, [
        ...['--server-side', '--force-conflicts'],
      ]),
      leavingOut(kubectl(of.kubectl, line, { id: 'kubectl-less', name: '`kubectl apply`, left out of the manifests', ...REMEDY }, [])),
      argo(of.argo, line, { id: 'argo', name: 'Argo CD' }),
      argo(of.argo, line, { id: 'argo-ssa', name: 'Argo CD `ServerSideApply=true`' }, { options: 'ServerSideApply=true' }),
      argo(of.argo, line, { id: 'argo-ignore', name: 'Argo CD with `ignoreDifferences`', ...REMEDY }, { ignore: IGNORED.argo }),
      argo(
        of.argo,
        line,
        { id: 'argo-ssa-ignore', name: 'Argo CD `ServerSideApply=true` with `ignoreDifferences`', ...REMEDY },
        {
          ...{ options: 'ServerSideApply=true', ignore: IGNORED.argo },
        },
      ),
      terraform(of.tofu, line, { id: 'tofu', name: 'Terraform' }),
      terraform(of.tofu, line, { id: 'tofu-ignore', name: 'Terraform with `ignore_changes`', ...REMEDY }, IGNORED.terraform),
      ...(flux
        ? [
            flux.applier({ id: 'flux', name: 'Flux' }),
            flux.applier({ id: 'flux-ignore', name: 'Flux with `spec.ignore`', ...REMEDY }, { ignore: IGNORED.flux }),
            // Not for the Deployment: there it would keep every new version out.
            {
              ...flux.applier({ id: 'flux-once', name: 'Flux with `ssa: IfNotPresent`', ...REMEDY }, { policy: 'IfNotPresent' }),
              lacks: ['replicas' as const],
            },
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
    const chosen = appliers.filter(({ id }) => isChosen(id));
    for (let at = 0; at < chosen.length; at += TOGETHER[mode]) {
      const group = chosen.slice(at, at + TOGETHER[mode]);
      const ground = { cluster: environment.cluster, hooks, proxyUrl: environment.mesh.url(0), meanwhile };
      const found: Cell[] = [];
      const kept = await playAppliers(ground, group, (cell) => {
        found.push(cell);
        process.stdout.write(`${JSON.stringify(cell)}\n`);
      });
      problems.push(...kept);
      cells.push(...found);
      keepResults(mode, found, appliers);
    }
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

/** Cells of these tools are replaced in the file, those of others stay; in the order of the tools. */
function keepResults(mode: Mode, found: readonly Cell[], appliers: readonly Applier[]): void {
  const before: Results = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
  const played = new Set(found.map((cell) => cell.applier));
  const cells = [...(before[mode]?.cells ?? []).filter((cell) => !played.has(cell.applier)), ...found];
  // Tools that this run does not play come last.
  const names = appliers.map(({ name }) => name);
  const order = [...names, ...new Set(cells.map(({ applier }) => applier).filter((name) => !names.includes(name)))];
  const sorted = cells.toSorted(
    (a, b) =>
      order.indexOf(a.applier) - order.indexOf(b.applier) ||
      SUBJECTS.indexOf(a.subject) - SUBJECTS.indexOf(b.subject) ||
      MOMENTS.indexOf(a.moment) - MOMENTS.indexOf(b.moment),
  );
  writeFileSync(FILE, `${JSON.stringify({ ...before, [mode]: { versions: applierVersions(), cells: sorted } }, undefined, 2)}\n`);
}
