import { acceptedSpecsAnnotation } from '../../../src/api/names.ts';
import { raw } from '../raw.ts';
import { anchorRef } from './damage.ts';
import type { ModelLab } from './lab.ts';

/** The specs that the anchor has of its Canary, the newest first. */
export const storedSpecs = (lab: ModelLab): object[] =>
  JSON.parse(raw(lab.server.find(anchorRef))?.metadata.annotations[acceptedSpecsAnnotation] ?? '[]');

/** The anchor is as an earlier version of Serin has left it, or has what a tenant wrote. */
export const forgetSpecs = (lab: ModelLab, text: string | null = null): void =>
  void lab.server.patch(anchorRef, { metadata: { annotations: { [acceptedSpecsAnnotation]: text } } });
