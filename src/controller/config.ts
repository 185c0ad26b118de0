import * as z from 'zod';
import { type AllowList, gatewayEntries, hostEntries, parseAllowList } from '../api/allow-list.ts';
import { parseDuration } from '../api/duration.ts';
import { MeshProvider } from '../api/mesh-provider.ts';
import { parseLabelSelector } from '../kube/label-selector-text.ts';
import { MOST_SHARDS } from '../kube/permissions.ts';
import { allowedAddressProblem } from '../outgoing/address-policy.ts';
import { companionNames } from '../workloads/companions/kind-names.ts';
import { type Flag, type FlagKind, type FlagName, flagEntries, type flags } from './flags.ts';

const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** Readers of the command line: text becomes the value of a setting. */
const readers = {
  text: z.string(),
  list: z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
  pairs: z.array(z.string()).default([]),
  switch: z.boolean().default(false),
  duration: z.string().transform((text, context) => {
    const ms = parseDuration(text);
    if (ms === undefined) context.addIssue({ code: 'custom', message: `${text} must be a duration, like 30s or 1m30s` });
    return ms ?? 0;
  }),
  count: z
    .string()
    .transform(numberOf)
    .refine((value) => Number.isInteger(value) && value >= 0, 'must be a whole number, like 8080'),
  rate: z.string().transform(numberOf).refine(Number.isFinite, 'must be a number of requests a second: write it like 100'),
} satisfies Readonly<Record<FlagKind, z.ZodType>>;

/** Schema of a setting of each kind. */
const kinds = {
  text: z.string(),
  list: z.array(z.string()),
  pairs: z.array(z.string()),
  switch: z.boolean(),
  duration: z.number().min(0),
  count: z.int().min(0),
  rate: z.number(),
} satisfies Readonly<Record<FlagKind, z.ZodType>>;

function hasOnlyAPath(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.username + url.password + url.search + url.hash === '';
}

const allowList = (entries: typeof hostEntries) =>
  z.array(z.string()).transform((values, context): AllowList => {
    const list = parseAllowList(values, entries);
    if (!('problem' in list)) return list;
    context.addIssue({ code: 'custom', message: list.problem });
    return z.NEVER;
  });

const addresses = z.array(
  z.string().superRefine((entry, context) => {
    const message = allowedAddressProblem(entry);
    if (message) context.addIssue({ code: 'custom', message });
  }),
);

/** Settings that are held to more than their kind. */
const special = {
  canarySelector: z.string().superRefine((text, context) => {
    const parsed = parseLabelSelector(text);
    if ('unreadable' in parsed)
      context.addIssue({ code: 'custom', message: `${parsed.unreadable} must be a requirement on a label, like team=shop` });
  }),
  meshProvider: MeshProvider,
  ingressAnnotationsPrefix: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a prefix of annotations, like nginx.ingress.kubernetes.io'),
  metricsServer: z.url({
    protocol: /^https?$/,
    error: ({ input }) => `${input} must be an http(s) URL: write it like http://prometheus:9090`,
  }),
  dashboardUrl: z.union([
    z.literal(''),
    z
      .url({ protocol: /^https?$/, error: 'the address must be an http(s) URL: write it like https://serin.example.org' })
      .refine(hasOnlyAPath, 'the address must not have credentials, a query or a fragment: every receiver of an alert would see them'),
  ]),
  secretsMode: z.enum(['watch', 'get', 'off']),
  companions: z.array(z.enum(companionNames)),
  arrival: z.enum(['refuse', 'warn']),
  allowedAddresses: addresses,
  allowedLocalAddresses: addresses,
  allowedHosts: allowList(hostEntries),
  allowedGateways: allowList(gatewayEntries),
  shards: z
    .int()
    .min(1, 'must be 1 or more')
    .max(MOST_SHARDS, `is more than ${MOST_SHARDS}: each shard costs every replica a request in each --retry-period`),
  journalLimit: z.int().min(0).max(100, 'is more than 100 releases: keep fewer'),
  port: z.int().max(65_535, 'must be a port from 0 to 65535'),
} satisfies Partial<Record<FlagName, z.ZodType>>;

type Table = typeof flags;
/** Value of a flag of each kind. Durations are in milliseconds. */
interface FlagValues {
  text: string;
  list: string[];
  pairs: string[];
  switch: boolean;
  duration: number;
  count: number;
  rate: number;
}
type ValueOf<Name extends FlagName, Value> = Table[Name] extends { fallback: unknown } | { kind: 'pairs' } ? Value : Value | undefined;
type SettingName<Name extends FlagName> = Table[Name] extends { isOfCommand: true }
  ? never
  : Table[Name]['kind'] extends 'duration'
    ? `${Name}Ms`
    : Name;
type SettingValue<Name extends FlagName> = ValueOf<
  Name,
  Name extends keyof typeof special ? z.infer<(typeof special)[Name]> : FlagValues[Table[Name]['kind']]
>;

/** `uninstallGraceMs` of `uninstallGrace`. */
export const settingName = (name: string, { kind }: Flag): string => (kind === 'duration' ? `${name}Ms` : name);

const readerOf = ({ kind, fallback }: Flag): z.ZodType =>
  fallback === undefined && kind !== 'pairs' ? readers[kind].optional() : readers[kind];

function settingOf(name: FlagName, flag: Flag): z.ZodType {
  const schema: z.ZodType = Object.hasOwn(special, name) ? special[name as keyof typeof special] : kinds[flag.kind];
  if (flag.kind === 'pairs') return schema.prefault([]);
  return flag.fallback === undefined
    ? schema.optional()
    : schema.prefault(flag.kind === 'switch' ? flag.fallback : readers[flag.kind].parse(flag.fallback));
}

/** The values of the command line, by the names of the flags. */
export type CommandLine = { [Name in FlagName]: ValueOf<Name, FlagValues[Table[Name]['kind']]> };
export const CommandLine = z.object(
  Object.fromEntries(flagEntries.map(([name, flag]) => [name, readerOf(flag)])),
) as unknown as z.ZodType<CommandLine>;

/** Settings that the process finds by itself. */
const Surroundings = z.object({
  /** Routing objects of meshes are in another cluster, where nothing of them has an owner. */
  remoteRoutes: z.boolean().default(false),
  /** Addresses of API servers; their answers are never shown. */
  apiServers: z.array(z.string()).default([]),
  /** Addresses of the pod and its node, which tenants do not have called. */
  ownAddresses: z.array(z.string()).default([]),
  /** Environment variables that name proxies. */
  proxyEnvironment: z.record(z.string(), z.string()).default({}),
  /** Threads of the process for look-ups of names and files (`UV_THREADPOOL_SIZE`). */
  threads: z.int().min(1).default(4),
  /** Promoted templates that are kept for a failed promotion and undo. */
  historyLimit: z.int().min(1).default(5),
});

/**
 * Settings of the controller: one for each flag that is not only the command's, and the settings that the process finds by itself. Times are in milliseconds.
 */
export type ControllerConfig = { [Name in FlagName as SettingName<Name>]: SettingValue<Name> } & z.infer<typeof Surroundings>;
export const ControllerConfig = Surroundings.extend(
  Object.fromEntries(flagEntries.flatMap(([name, flag]) => (flag.isOfCommand ? [] : [[settingName(name, flag), settingOf(name, flag)]]))),
) as unknown as z.ZodType<ControllerConfig>;

/** Time that a side without traffic keeps its pods (docs/internals.md, "Traffic first, pods later"). */
export function scaleDownDelayMs(config: ControllerConfig, intervalMs: number): number {
  return config.scaleDownDelayMs ?? Math.min(intervalMs, 30_000);
}
