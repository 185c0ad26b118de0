import { expect, it } from 'vitest';
import { ControllerConfig } from './config.ts';

it('03-W4: without flags a target is selected by app, name or app.kubernetes.io/name, no label is copied, and configs are tracked', () => {
  expect(ControllerConfig.parse({})).toMatchObject({
    selectorLabels: ['app', 'name', 'app.kubernetes.io/name'],
    includeLabelPrefix: [],
    enableConfigTracking: true,
  });
});
