import * as z from 'zod';
import { logLevels } from '../../src/cli/go-flags.ts';

export const text = (otherwise: string, about: string) => z.string().default(otherwise).describe(about);
export const onOff = (otherwise: boolean, about: string) => z.boolean().default(otherwise).describe(about);
export const names = (otherwise: string[], about: string) => z.array(z.string().min(1)).default(otherwise).describe(about);
export const labels = (otherwise: Record<string, string>, about: string) =>
  z.record(z.string(), z.string()).default(otherwise).describe(about);
export const namesByKey = (otherwise: Record<string, string[]>, about: string) =>
  z
    .record(z.string(), z.array(z.string().min(1)).min(1))
    .default(otherwise)
    .describe(about);
/** Linkerd: inbound, tap, metrics; Kuma: metrics; Istio: ambient mode, merged metrics, metrics of Envoy. */
export const sidecarPorts = [4143, 4190, 4191, 5670, 15008, 15020, 15090];
export const meshPorts = z
  .array(z.int().min(1).max(65535))
  .default(sidecarPorts)
  .describe('Ports of the sidecars of Linkerd, Kuma and Istio, reached like port 8080; nothing listens on them without one.');
/** Part of an object of Kubernetes, which judges it. */
export const raw = (otherwise: Record<string, unknown>, about: string) =>
  z.record(z.string(), z.unknown()).default(otherwise).describe(about);
export const rawList = (about: string) => z.array(z.record(z.string(), z.unknown())).default([]).describe(about);
const selector = z.record(z.string(), z.unknown()).optional();
/** Peers of a network policy, each with something that says which. */
export const peers = (about: string) =>
  z
    .array(z.strictObject({ podSelector: selector, namespaceSelector: selector, ipBlock: selector }).meta({ minProperties: 1 }))
    .default([])
    .describe(about);
/** A number that values files also have as text, and empty for the default. */
export const number = (about: string) =>
  z
    .union([z.int().min(1), z.string().regex(/^\d*$/)])
    .default('')
    .describe(about);

/** Begins the description of a value that changes nothing. */
export const inert = "No effect; accepted so that values of Flagger's chart go on working. ";

/** Image of a container, as Flagger's charts name its parts. */
export const image = (about: string) =>
  z
    .strictObject({
      repository: text('', 'Image, with its registry; a chart of a release has its own, and in one of a checkout it must be set.'),
      tag: text('', 'Tag; if empty, the version of the chart.'),
      digest: z
        .union([z.literal(''), z.string().regex(/^sha256:[0-9a-f]{64}$/)])
        .default('')
        .describe('Digest, `sha256:…`; wins over the tag.'),
      pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent').describe('When the image is pulled.'),
      pullSecret: text('', 'Name of one Secret for the registry; see `imagePullSecrets`.'),
    })
    .describe(about);
const imagePullSecrets = z
  .array(z.strictObject({ name: z.string() }))
  .default([])
  .describe('Secrets for the registry, `[{name: …}]`.');

/** Fits the restricted Pod Security Standard; the image brings a user that is not root. */
export const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};

export const securityContext = z
  .strictObject({
    enabled: onOff(true, 'Set it.'),
    context: raw(restricted, 'Of the container; fits the restricted Pod Security Standard. The image runs as 65532.'),
  })
  .describe('Security context of the container.');

/** Values of every chart with a Deployment, after those of its image. */
export const common = {
  imagePullSecrets,
  nameOverride: text('', 'Name of the application in labels; if empty, the name of the chart.'),
  fullnameOverride: text('', 'Name of all objects; if empty, made of release and chart.'),

  logLevel: z
    .enum([...logLevels, 'warning', 'panic'])
    .default('info')
    .describe('Least level that is logged.'),
};
