import * as z from 'zod';
import type { Canary } from '../../api/canary.ts';
import type { Labels } from '../../api/kube-object.ts';
import { fluxOff, names } from '../../api/names.ts';
import type { Originals } from '../../workloads/anchor.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export type Original = Originals['apexService'];

const Strings = z.record(z.string(), z.string()).optional().catch(undefined);
const AppliedPort = z.looseObject({ port: z.int().min(1).max(65_535) });
const Applied = z.object({
  metadata: z.object({ labels: Strings, annotations: Strings }).optional().catch(undefined),
  spec: z
    .object({
      selector: Strings,
      ports: z
        .array(z.unknown())
        .transform((ports) => ports.flatMap((port) => AppliedPort.safeParse(port).data ?? []))
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Applied = z.infer<typeof Applied>;

/** A Service, or the manifest of one. */
export interface Described {
  metadata: { labels?: Labels | undefined; annotations?: Labels | undefined };
  spec?: { selector?: Labels | undefined; ports?: NonNullable<Original>['ports'] | undefined } | undefined;
}

/** The original values of the apex Service's fields that we write. */
export function apexOriginal({ metadata, spec }: Described): NonNullable<Original> {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key in fluxOff);
  const appliedSelector = readLastApplied({ metadata })?.spec?.selector;
  return {
    selector: spec?.selector ?? {},
    ...(appliedSelector && { appliedSelector }),
    ports: spec?.ports ?? [],
    labels: metadata.labels ?? {},
    annotations: Object.fromEntries(annotations),
  };
}

/** Recorded of the name that the Canary began with. */
export function recordedApex(canary: Canary, { canary: first, apexService }: Originals): Original {
  return !first || names(first).apexService === names(canary).apexService ? apexService : undefined;
}

/** The ports of the last manifest of `kubectl apply`. */
export function appliedPorts(service: Described): readonly { port: number; protocol?: unknown }[] {
  return readLastApplied(service)?.spec?.ports ?? [];
}

/** The last manifest of `kubectl apply`, field by field; an unreadable one must not block deletion. */
export function readLastApplied({ metadata }: Pick<Described, 'metadata'>): Applied | undefined {
  const text = metadata.annotations?.[LAST_APPLIED];
  if (text === undefined) return undefined;
  try {
    return Applied.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
