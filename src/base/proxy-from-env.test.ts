import { expect, it } from 'vitest';
import { proxyFromEnv } from './proxy-from-env.ts';

const proxy = 'http://proxy.example.org:3128';

it.each([
  { url: 'https://api.example.org:6443', env: { HTTPS_PROXY: proxy }, used: proxy },
  { url: 'https://api.example.org', env: { https_proxy: 'proxy.example.org:3128' }, used: proxy },
  { url: 'http://api.example.org', env: { HTTPS_PROXY: proxy }, used: undefined },
  { url: 'http://api.example.org', env: { HTTP_PROXY: proxy }, used: proxy },
  { url: 'https://localhost:6443', env: { HTTPS_PROXY: proxy }, used: undefined },
  { url: 'https://[::1]:6443', env: { HTTPS_PROXY: proxy }, used: undefined },
  { url: 'https://api.example.org', env: { HTTPS_PROXY: proxy, NO_PROXY: 'other.org, example.org' }, used: undefined },
  { url: 'https://example.org', env: { HTTPS_PROXY: proxy, NO_PROXY: 'example.org' }, used: undefined },
  { url: 'https://example.org', env: { HTTPS_PROXY: proxy, NO_PROXY: '.example.org' }, used: proxy },
  { url: 'https://api.example.org', env: { HTTPS_PROXY: proxy, NO_PROXY: '*.example.org' }, used: undefined },
  { url: 'https://notexample.org', env: { HTTPS_PROXY: proxy, NO_PROXY: 'example.org' }, used: proxy },
  { url: 'https://api.example.org:6443', env: { HTTPS_PROXY: proxy, NO_PROXY: 'api.example.org:443' }, used: proxy },
  { url: 'https://api.example.org:6443', env: { HTTPS_PROXY: proxy, NO_PROXY: 'api.example.org:6443' }, used: undefined },
  { url: 'https://10.96.0.1', env: { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, used: undefined },
  { url: 'https://11.96.0.1', env: { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, used: proxy },
  { url: 'https://[fd00::7]', env: { HTTPS_PROXY: proxy, NO_PROXY: 'fd00::/8' }, used: undefined },
  { url: 'https://[fd00::7]', env: { HTTPS_PROXY: proxy, NO_PROXY: 'fd00::7' }, used: undefined },
  { url: 'https://api.example.org', env: { HTTPS_PROXY: proxy, NO_PROXY: '*' }, used: undefined },
])('$url with $env uses the proxy $used', ({ url, env, used }) => {
  expect(proxyFromEnv(url, env)).toBe(used);
});
