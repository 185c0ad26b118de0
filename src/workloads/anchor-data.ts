import * as z from 'zod';
import { AnchoredSpec } from '../api/canary.ts';

const Strings = z.record(z.string(), z.string());

/** Fields of an adopted Service that Serin writes; anchors of versions before 0.1.0 have only its selector. */
export const ApexOriginal = z.object({
  selector: Strings,
  /** Selector of the manifest that `kubectl apply` had left there: while it is unchanged, `selector` is more exact. */
  appliedSelector: Strings.exactOptional(),
  ports: z
    .array(z.looseObject({ name: z.string().exactOptional(), port: z.number(), protocol: z.string().exactOptional() }))
    .exactOptional(),
  labels: Strings.exactOptional(),
  /** Annotations that keep GitOps tools away, with the user's values. */
  annotations: Strings.exactOptional(),
});
export type ApexOriginal = z.infer<typeof ApexOriginal>;

/** Contents of the user's objects before Serin changed them; restored when the Canary is deleted. */
export const Originals = z.object({
  target: z.looseObject({ replicas: z.int().min(0) }),
  /** Absent if no apex Service existed, so that Serin owns it. */
  apexService: ApexOriginal.exactOptional(),
  /** Data for a controller that finds the anchor after its Canary was deleted. */
  canary: z
    .object({
      metadata: z.object({ name: z.string().min(1), namespace: z.string(), uid: z.string().min(1), labels: Strings.exactOptional() }),
      spec: AnchoredSpec,
    })
    .exactOptional(),
  /** Specs of Canaries whose primary this one took over, one for each other provider: their routes can still exist. */
  formerSpecs: z.array(AnchoredSpec).exactOptional(),
});
export type Originals = z.infer<typeof Originals>;

/** The immutable data of an anchor. */
export const AnchorData = Originals.extend({ canaryUid: z.string().min(1) });
export type AnchorData = z.infer<typeof AnchorData>;

const PodTemplate = z.looseObject({
  metadata: z.looseObject({ labels: Strings.exactOptional(), annotations: Strings.exactOptional() }).exactOptional(),
  spec: z.record(z.string(), z.unknown()),
});

/** The promoted revision in the history: a failed promotion restores it. */
export const TemplateRevisionData = z.object({
  revision: z.string(),
  spec: z.looseObject({ template: PodTemplate.exactOptional() }),
  /** The original template of the target, which an undo restores; absent if it was not seen. */
  target: PodTemplate.exactOptional(),
});
export type TemplateRevisionData = z.infer<typeof TemplateRevisionData>;
