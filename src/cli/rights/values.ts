import * as z from 'zod';
import { type Problem, problemsOf } from '../../api/problem.ts';
import { isRecord, type JsonRecord, valueAt } from '../../base/json.ts';
import { type FlagName, flags, writtenName } from '../../controller/flags.ts';
import { companionNames } from '../../workloads/companions/kind-names.ts';
import { secretsModes } from '../../workloads/configs/read-configs.ts';
import type { Account } from './settings.ts';
import { unknownValues } from './unknown-values.ts';

const Text = z.string().default('');
const Texts = z.array(z.string()).default([]);
const On = z.boolean().default(true);
// To YAML a bare `off` is false.
const Mode = z.preprocess((value) => (value === false ? 'off' : value), z.enum(secretsModes).default('watch'));
const part = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape).prefault({} as never);

/** Values of charts/serin that decide what the account may do; of all others only the keys are read. */
const Values = z.looseObject({
  namespace: Text,
  namespaces: Texts,
  meshProvider: Text,
  canarySelector: Text,
  companions: part(Object.fromEntries(companionNames.map((name) => [name, On]))),
  configTracking: part({ enabled: On, takeOver: On }),
  secrets: part({ mode: Mode, namespaces: Texts, names: Texts }),
  dashboard: part({ enabled: z.boolean().default(false) }),
  leaderElection: part({ enabled: On, shards: z.int().default(1) }),
  controlplane: part({ kubeconfig: part({ secretName: Text }) }),
  serviceAccount: part({ create: On, name: Text }),
  fullnameOverride: Text,
  extraArgs: Texts,
  rbac: part({ extraRules: z.array(z.unknown()).default([]) }),
});
type Values = z.infer<typeof Values>;

/** Flags whose value is the chart's value, unmodified. */
const ALIKE = [
  ...(['namespace', 'namespaces', 'meshProvider', 'canarySelector', 'enableConfigTracking'] as const),
  ...(['secretsNamespaces', 'secretsNames', 'dashboard', 'enableLeaderElection', 'shards'] as const),
] satisfies readonly FlagName[];

/** Problems of the values of one file. */
export function valuesProblems(values: JsonRecord): Problem[] {
  const read = Values.safeParse(values);
  return [...(read.success ? [] : problemsOf(read.error, values)), ...unknownValues(values)];
}

/** Merges files as Helm does: maps are merged, and anything else is replaced. */
export function mergedValues(files: readonly JsonRecord[]): JsonRecord {
  const merged = new Map<string, unknown>();
  for (const [key, value] of files.flatMap((file) => Object.entries(file))) {
    const below = merged.get(key);
    merged.set(key, isRecord(below) && isRecord(value) ? mergedValues([below, value]) : value);
  }
  return Object.fromEntries(merged);
}

/** The arguments that the chart starts the controller with, as far as they decide its rights, and values that only its roles know. */
export function readValues(
  raw: JsonRecord,
  account: Account,
): { args: string[]; account: Account; takeOver: boolean; hasExtraRules: boolean } {
  const values = Values.parse(raw);
  const { companions, secrets, controlplane, leaderElection, serviceAccount } = values;
  const on = companionNames.filter((name) => companions[name] !== false);
  const name = serviceAccount.name || (serviceAccount.create ? values.fullnameOverride || account.name : 'default');
  return {
    args: [
      ...ALIKE.flatMap((flag) => argumentOf(flag, values)),
      `--companions=${on.join(',')}`,
      `--secrets-mode=${secrets.mode}`,
      ...(leaderElection.enabled ? [`--leader-election-namespace=${account.namespace}`] : []),
      ...(controlplane.kubeconfig.secretName === '' ? [] : ['--kubeconfig-service-mesh=mounted']),
      ...values.extraArgs,
    ],
    account: { ...account, name },
    takeOver: values.configTracking.takeOver,
    hasExtraRules: values.rbac.extraRules.length > 0,
  };
}

/** By the value that the table of flags names. */
function argumentOf(name: (typeof ALIKE)[number], values: Values): string[] {
  const { chart } = flags[name];
  const value = valueAt(values, chart.split('.'));
  const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
  return text === '' ? [] : [`--${writtenName(name)}=${text}`];
}
