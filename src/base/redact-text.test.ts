import { describe, expect, it } from 'vitest';
import { redactText } from './redact-text.ts';

describe('a text that others wrote', () => {
  it.each([
    ['an address with a password', 'POST http://me:hunter2@gate.test/x: 500', 'POST http://***@gate.test/***: 500'],
    ['the hook of a chat', 'see https://hooks.slack.com/services/T0/B0/abcdef.', 'see https://hooks.slack.com/***.'],
    ['the query of an address', '(http://prom:9090/api/v1/query?token=abc)', '(http://prom:9090/api/v1/query?***)'],
    ['a query without an address', 'GET /?key=s3cret%2Ftoken&a=b', 'GET /?key=***&a=***'],
    ['a name and password before a host', 'dial admin:hunter2@db.test:5432', 'dial ***@db.test:5432'],
    ['a bearer', 'sent Bearer abc.def-123', 'sent Bearer ***'],
    ['basic credentials', 'sent Basic bWU6aHVudGVyMg==', 'sent Basic ***'],
    ['a header', 'Authorization: Custom abc def', 'Authorization: ***'],
    ['a password in JSON', '{"dbPassword":"hunter2","a":1}', '{"dbPassword":"***","a":1}'],
    ['a variable', 'API_KEY=abcdef GREETING=hello', 'API_KEY=*** GREETING=hello'],
    ['a flag', 'hey --auth-token abcdef -z 1m', 'hey --auth-token *** -z 1m'],
    ['the user of curl', 'curl -u me:hunter2 http://gate.test/', 'curl -u *** http://gate.test/'],
    ['a JWT', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', 'got ***'],
    ['a key of a cloud', 'AKIAIOSFODNN7EXAMPLE', '***'],
    ['a token of a forge', 'ghp_0123456789abcdefghij', '***'],
    ['what is long and mixed', 'key wJalrXUtnFEMI9K7MDENGbPxRfiCY', 'key ***'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----', '***'],
    ['a private key that is cut off', 'see -----BEGIN RSA PRIVATE KEY-----\nMIIE', 'see ***'],
  ])('is shown without %s', (_, text, shown) => {
    expect(redactText(text)).toBe(shown);
  });

  it.each([
    'Checks the canary every 10s: step 2 of 5, at 40% of traffic.',
    'the credentials are not accepted: renew the certificate',
    'ghcr.io/stefanprodan/podinfo:6.0.1@sha256:0e3c1f1bcb8a2d2fd0b7f3a9d2a8a2f1b3c4d5e6f708192a3b4c5d6e7f8091a2',
    's1:0e3c1f1bcb8a2d2fd0b7f3a9d2a8a2f1b3c4d5e6f708192a3b4c5d6e7f8091a2',
    'pod podinfo-primary-6f7d8c9b5f-abcde is not ready: Back-off restarting failed container',
    'sum(rate(istio_requests_total{destination_workload=~"podinfo(-primary)?",response_code!~"5.*"}[1m]))',
    'http://prometheus.monitoring:9090/api/v1/query',
    'http://flagger-loadtester.test/gate/check',
    '{{ namespace }}/{{ target }} > 99.5',
    '3f0c9a52-9d0e-4b7e-8f55-1a2b3c4d5e6f 2026-11-22T05:37:00Z',
  ])('keeps its meaning: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });
});
