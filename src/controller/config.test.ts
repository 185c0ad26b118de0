import { expect, it } from 'vitest';
import { ControllerConfig } from './config.ts';

it('without flags a target is selected by app, name or app.kubernetes.io/name, no label is copied, and configs are tracked', () => {
  expect(ControllerConfig.parse({})).toMatchObject({
    selectorLabels: ['app', 'name', 'app.kubernetes.io/name'],
    includeLabelPrefix: [],
    enableConfigTracking: true,
  });
});

it.each([
  { given: 'serin.example.org', problem: 'must be an http(s) URL' },
  { given: 'javascript:alert(1)', problem: 'must be an http(s) URL' },
  { given: 'https://ann:secret@serin.example.org', problem: 'must not have credentials' },
  { given: 'https://serin.example.org/?token=1', problem: 'must not have credentials, a query' },
])('--dashboard-url $given is rejected: every alert would show it', ({ given, problem }) => {
  const { error } = ControllerConfig.safeParse({ dashboardUrl: given });
  expect(error?.message).toContain(problem);
  expect(error?.message).not.toContain('secret');
});

it.each([
  { setting: 'historyLimit', least: 1 },
  { setting: 'threads', least: 1 },
])('$setting accepts $least and nothing less', ({ setting, least }) => {
  expect(ControllerConfig.parse({ [setting]: least })).toMatchObject({ [setting]: least });
  expect(ControllerConfig.safeParse({ [setting]: least - 1 }).success).toBe(false);
});
