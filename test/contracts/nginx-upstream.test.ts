import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type NginxLook, renderNginxUpstreams } from './nginx-upstream.ts';

const split = (backends: Record<string, unknown>, spec: object = {}): KubeObject => ({
  apiVersion: 'split.smi-spec.io/v1alpha4',
  kind: 'TrafficSplit',
  metadata: { name: 'my-canary', namespace: 'prod' },
  spec: { service: 'web', backends: Object.entries(backends).map(([service, weight]) => ({ service, weight })), ...spec },
});
const look = (
  ports: Record<string, number[]>,
  addresses: NginxLook['addresses'] = (service, port) => [`${service}:${port}`],
): NginxLook => ({
  ports: (service) => ports[service],
  addresses,
});
const both = look({ web: [80], 'web-next': [80], 'web-current': [80] });
const textOf = (...args: Parameters<typeof renderNginxUpstreams>) =>
  renderNginxUpstreams(...args)
    .map(({ text }) => text)
    .join('');
const servers = (...args: Parameters<typeof renderNginxUpstreams>) => textOf(...args).match(/server .*;/g) ?? [];

describe('an nginx configuration of a TrafficSplit', () => {
  it('the example of the specification: 100 and 900 are 1 and 9', () => {
    expect(textOf(split({ 'web-next': 100, 'web-current': 900 }), both)).toBe(
      'upstream web_80 {\n  server web-next:80 weight=1;\n  server web-current:80 weight=9;\n}\n',
    );
  });

  it.each([
    { weights: { 'web-next': 1000, 'web-current': 500 }, says: ['server web-next:80 weight=2;', 'server web-current:80 weight=1;'] },
    { weights: { 'web-next': 7, 'web-current': 13 }, says: ['server web-next:80 weight=7;', 'server web-current:80 weight=13;'] },
    { weights: { 'web-next': 0, 'web-current': 500 }, says: ['server web-current:80 weight=1;'] },
    { weights: { 'web-next': '100m', 'web-current': '1' }, says: ['server web-next:80 weight=1;', 'server web-current:80 weight=10;'] },
    {
      weights: { 'web-next': '1n', 'web-current': '1' },
      says: ['server web-next:80 weight=1;', 'server web-current:80 weight=1000000000;'],
    },
  ])('$weights', ({ weights, says }) => expect(servers(split(weights), both)).toEqual(says));

  it('each port has its own block, without the backends that lack it', () => {
    const ports = look({ web: [80, 90], 'web-next': [90], 'web-current': [80, 90] });
    expect(renderNginxUpstreams(split({ 'web-next': 1, 'web-current': 1 }), ports).map(({ name, port }) => [name, port])).toEqual([
      ['web_80', 80],
      ['web_90', 90],
    ]);
    expect(servers(split({ 'web-next': 1, 'web-current': 1 }), ports)).toEqual([
      'server web-current:80 weight=1;',
      'server web-next:90 weight=1;',
      'server web-current:90 weight=1;',
    ]);
  });

  it('a backend’s share is divided among its addresses', () => {
    const pods = look({ web: [80], 'web-next': [80], 'web-current': [80] }, (service) =>
      service === 'web-next' ? ['10.0.0.1:8081', '10.0.0.2:8081'] : ['10.0.0.3:8080', '10.0.0.4:8080', '10.0.0.5:8080'],
    );
    expect(servers(split({ 'web-next': 100, 'web-current': 900 }), pods)).toEqual([
      'server 10.0.0.1:8081 weight=1;',
      'server 10.0.0.2:8081 weight=1;',
      'server 10.0.0.3:8080 weight=6;',
      'server 10.0.0.4:8080 weight=6;',
      'server 10.0.0.5:8080 weight=6;',
    ]);
  });

  it('a backend that does not exist, or has no endpoints, is left out; a port without any backend has no block', () => {
    expect(servers(split({ absent: 1, 'web-current': 1 }), both)).toEqual(['server web-current:80 weight=1;']);
    const empty = look({ web: [80], 'web-next': [80] }, () => []);
    expect(renderNginxUpstreams(split({ 'web-next': 1 }), empty)).toEqual([]);
  });

  it.each([
    { what: 'the root among its backends', bad: split({ web: 900, 'web-next': 100 }), says: /itself/ },
    { what: 'a condition', bad: split({ 'web-next': 1 }, { matches: [{ kind: 'HTTPRouteGroup', name: 'a' }] }), says: /spec\.matches/ },
    { what: 'a name that is more than a name', bad: split({ 'a; } server { listen 80': 1 }), says: /not a Service name/ },
    { what: 'a root that is none', bad: split({ 'web-next': 1 }, { service: 'a b' }), says: /not a Service name/ },
    { what: 'a weight that is none', bad: split({ 'web-next': 'half' }), says: /half/ },
  ])('$what is refused', ({ bad, says }) => expect(() => renderNginxUpstreams(bad, both)).toThrow(says));
});
