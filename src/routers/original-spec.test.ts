import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/kube-object.ts';
import { namesIn, originalConfig, originalSpec } from './original-spec.ts';

const namesOurSides = namesIn('host', ['podinfo-primary']);
const aRoute = (annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'networking.istio.io/v1beta1',
  kind: 'VirtualService',
  metadata: { name: 'podinfo', namespace: 'test', annotations },
  spec: {},
});
const deep = (open: string, close: string) => `${open.repeat(50_000)}${close.repeat(50_000)}`;

describe('an original spec that was written by hand', () => {
  it.each([
    { what: 'no JSON', text: '{' },
    { what: 'a number', text: '1' },
    { what: 'a text', text: '"x"' },
    { what: 'null', text: 'null' },
    { what: 'a list', text: '[{"http":[]}]' },
    { what: 'brackets without end', text: deep('[', ']') },
    { what: 'objects without end', text: `{"a":${deep('{"a":', '}').replace('}', '1}')}}` },
  ])('counts as absent when it is $what', ({ text }) => {
    expect(originalSpec(aRoute({ [originalConfig]: text }), namesOurSides)).toBeUndefined();
  });

  it('is a spec of the object itself, even if it names another object', () => {
    const other = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', namespace: 'other' }, http: [] };
    expect(originalSpec(aRoute({ [originalConfig]: JSON.stringify(other) }), namesOurSides)).toEqual(other);
  });
});
