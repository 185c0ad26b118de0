import { expect, it } from 'vitest';
import { alertFlags } from './alert-flags.ts';

const flags = { slackUrl: 'f1', slackToken: 'f2', slackProxyUrl: 'f3', msteamsUrl: 'f4', msteamsProxyUrl: 'f5' };

it('05-A37: a variable that is not empty wins over its flag', () => {
  expect(alertFlags(flags, { SLACK_URL: '', SLACK_USER: 'x', SLACK_CHANNEL: 'x' })).toEqual({ ...flags, proxyEnvironment: {} });
  const env = { SLACK_URL: 'e1', SLACK_TOKEN: 'e2', SLACK_PROXY_URL: 'e3', MSTEAMS_URL: 'e4', MSTEAMS_PROXY_URL: 'e5' };
  expect(Object.values(alertFlags(flags, env)).slice(0, 5)).toEqual(['e1', 'e2', 'e3', 'e4', 'e5']);
});

it('05-A40: the proxies of the process are handed on, and nothing else of it', () => {
  const { proxyEnvironment } = alertFlags(flags, { HTTPS_PROXY: 'http://p', no_proxy: 'a', HTTP_PROXY: '', HOME: '/x' });
  expect(proxyEnvironment).toEqual({ HTTPS_PROXY: 'http://p', no_proxy: 'a' });
});
