import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type DashboardFlags, dashboardSettings } from './dashboard-settings.ts';

const sound: DashboardFlags = {
  dashboardUrl: 'https://serin.example.org',
  dashboardPort: 8090,
  dashboardLocalPort: 8091,
  dashboardVerbs: false,
  dashboardTlsCertFile: '',
  dashboardTlsKeyFile: '',
  dashboardTokenAudience: '',
  dashboardOidcIssuerUrl: '',
  dashboardOidcClientId: '',
  dashboardOidcClientSecretFile: '',
  dashboardOidcScopes: [],
  dashboardOidcUsernameClaim: 'sub',
  dashboardOidcUsernamePrefix: '',
  dashboardOidcGroupsClaim: '',
  dashboardOidcGroupsPrefix: '',
  namespaces: [],
  meshProvider: 'istio',
};
const oidc = { dashboardOidcIssuerUrl: 'https://login.example.org', dashboardOidcClientId: 'serin' };

it('without OIDC the dashboard is reached by its address, or by a port-forward if it has none', () => {
  expect(dashboardSettings(sound)).toMatchObject({ origin: 'https://serin.example.org', mayAct: false, tls: undefined, oidc: undefined });
  expect(dashboardSettings({ ...sound, dashboardUrl: '' })).toMatchObject({ origin: undefined });
});

it.each<[string, Partial<DashboardFlags>, RegExp]>([
  ['an address with a path', { dashboardUrl: 'https://example.org/serin' }, /^--dashboard-url: .*no path/],
  ['HTTP beyond this machine', { dashboardUrl: 'http://serin.example.org' }, /^--dashboard-url: .*https:\/\//],
  ['HTTPS on this machine', { dashboardUrl: 'https://localhost:8090' }, /^--dashboard-url: .*must begin with http:\/\//],
  [
    'a certificate without its key',
    { dashboardTlsCertFile: '/tls.crt' },
    /^--dashboard-tls-cert-file and --dashboard-tls-key-file: give both/,
  ],
  ['a port that there is none of', { dashboardPort: 70_000 }, /^--dashboard-port: must be a port from 0 to 65535$/],
  ['a local port that there is none of', { dashboardLocalPort: 70_000 }, /^--dashboard-local-port: must be a port from 0 to 65535$/],
  ['one port for both', { dashboardLocalPort: 8090 }, /^--dashboard-local-port: must be another port than --dashboard-port$/],
  ['a client of OIDC without a provider', { dashboardOidcClientId: 'serin' }, /^--dashboard-oidc-issuer-url: is needed/],
  ['a provider without a client', { ...oidc, dashboardOidcClientId: '' }, /^--dashboard-oidc-client-id: is needed/],
  [
    'a provider by HTTP',
    { ...oidc, dashboardOidcIssuerUrl: 'http://login.example.org' },
    /^--dashboard-oidc-issuer-url: must be an https URL/,
  ],
  ['OIDC without an address to come back to', { ...oidc, dashboardUrl: '' }, /^--dashboard-url: is needed with OIDC/],
  [
    'a client secret that is not there',
    { ...oidc, dashboardOidcClientSecretFile: '/none' },
    /^--dashboard-oidc-client-secret-file: \/none cannot be read: ENOENT$/,
  ],
])('%s is refused by the flag to correct', (_, wrong, problem) => {
  expect(dashboardSettings({ ...sound, ...wrong })).toEqual({ problems: [expect.stringMatching(problem)] });
});

it('the redirect URI is below the address, and a client secret is without the end of its line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-oidc-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret');
  writeFileSync(file, 'well kept\n');
  const settings = dashboardSettings({ ...sound, ...oidc, dashboardOidcClientSecretFile: file });
  expect(settings).toMatchObject({ oidc: { redirectUri: 'https://serin.example.org/login/callback', clientSecret: 'well kept' } });
  writeFileSync(file, '\n');
  expect(dashboardSettings({ ...sound, ...oidc, dashboardOidcClientSecretFile: file })).toEqual({
    problems: [expect.stringContaining('is empty')],
  });
});
