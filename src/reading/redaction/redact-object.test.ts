import { expect, it } from 'vitest';
import { acceptedSpecsAnnotation, listedRoutesAnnotation, promotedScalerAnnotation } from '../../api/names.ts';
import { redactObject } from './redact-object.ts';

it('annotations of ours with text of users in them are hidden, and others are shown', () => {
  const hidden: string[] = [];
  const spec = JSON.stringify([{ analysis: { webhooks: [{ name: 'smoke', metadata: { word: 'open sesame' } }] } }]);
  const annotations = { [acceptedSpecsAnnotation]: spec, [promotedScalerAnnotation]: '{"query":"up"}', [listedRoutesAnnotation]: '[]' };
  const anchor = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'shop-serin-anchor', annotations } };
  const shown = redactObject(anchor, (value) => hidden.push(value)).metadata.annotations;
  expect(shown?.[listedRoutesAnnotation]).toBe('[]');
  expect(hidden).toEqual([spec, '{"query":"up"}']);
  expect(JSON.stringify(shown)).not.toContain('open sesame');
});
