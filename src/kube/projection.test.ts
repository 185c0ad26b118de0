import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/kube-object.ts';
import { createProjection } from './projection.ts';

const at = (name: string, resourceVersion: string, color: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'test', resourceVersion },
  color,
});

function given() {
  const projection = createProjection((object): string => String(object.color));
  const changes: string[] = [];
  projection.onChange(({ name, before, after }) => changes.push(`${name} ${before ?? '-'}>${after ?? '-'}`));
  projection.handler.onList([at('a', '9', 'red')], '10');
  return { projection, changes, get: () => projection.get('test', 'a') };
}

describe('a projection', () => {
  it('shows what is in one namespace, also of what comes and goes later', () => {
    const { projection } = given();
    const other = { ...at('b', '11', 'black'), metadata: { name: 'b', namespace: 'other', resourceVersion: '11' } };
    expect([projection.valuesIn('test'), projection.valuesIn('other')]).toEqual([['red'], []]);
    projection.learn(other);
    projection.handler.onEvent({ type: 'ADDED', object: at('c', '12', 'cyan') });
    projection.handler.onEvent({ type: 'DELETED', object: at('a', '13', 'red') });
    expect([projection.valuesIn('test'), projection.valuesIn('other')]).toEqual([['cyan'], ['black']]);
    projection.handler.onList([at('d', '20', 'dim')], '21');
    expect([projection.valuesIn('test'), projection.valuesIn('other')]).toEqual([['dim'], []]);
  });

  it('drops events older than the answer of a write, by number and not by text', () => {
    const { projection, get } = given();
    projection.learn(at('a', '100', 'green'));
    projection.handler.onEvent({ type: 'MODIFIED', object: at('a', '99', 'blue') });
    expect(get()).toBe('green');
    projection.handler.onEvent({ type: 'MODIFIED', object: at('a', '101', 'blue') });
    expect(get()).toBe('blue');
  });

  it('reports each change once', () => {
    const { projection, changes } = given();
    projection.learn(at('a', '11', 'green'));
    projection.handler.onEvent({ type: 'MODIFIED', object: at('a', '11', 'green') });
    projection.handler.onEvent({ type: 'DELETED', object: at('a', '12', 'green') });
    expect(changes).toEqual(['a ->red', 'a red>green', 'a green>-']);
  });

  it('does not bring a deleted object back with a late answer', () => {
    const { projection, get } = given();
    projection.handler.onEvent({ type: 'DELETED', object: at('a', '12', 'red') });
    projection.learn(at('a', '11', 'green'));
    expect(get()).toBeUndefined();
  });

  it('does not bring an object back that a list lacks, with an answer older than the list', () => {
    const { projection } = given();
    projection.learn(at('gone', '9', 'green'));
    expect(projection.get('test', 'gone')).toBeUndefined();
    projection.learn(at('new', '11', 'white'));
    expect(projection.get('test', 'new')).toBe('white');
  });

  it('knows an object that an answer has shown before the first list, and lets no older list replace it', () => {
    const projection = createProjection((object): string => String(object.color));
    expect(projection.knows('test', 'a')).toBe(false);
    projection.learn(at('a', '9', 'red'));
    projection.learn(at('b', '9', 'red'));
    projection.learn(at('c', '12', 'red'));
    expect(['a', 'b', 'c', 'd'].map((name) => projection.knows('test', name))).toEqual([true, true, true, false]);
    projection.handler.onList([at('a', '8', 'blue'), at('d', '7', 'dim')], '10');
    expect(['a', 'b', 'c', 'd'].map((name) => projection.get('test', name))).toEqual(['red', undefined, 'red', 'dim']);
  });

  it('treats objects that a list lacks as deleted, unless they were written after the list', () => {
    const { projection, get } = given();
    projection.learn(at('new', '21', 'white'));
    projection.handler.onList([], '20');
    expect(get()).toBeUndefined();
    expect(projection.values()).toEqual(['white']);
  });

  it('forgets objects that we deleted', () => {
    const { projection, get } = given();
    projection.forget({ namespace: 'test', name: 'a' });
    expect(get()).toBeUndefined();
  });

  it('keeps the projection of each page of a list, and reports nothing before all pages have arrived', () => {
    const { projection, changes, get } = given();
    const { onList, slim = (item) => item } = projection.handler;
    const stubs = [at('a', '20', 'green'), at('b', '15', 'blue')].map((item) => slim(item));
    expect(JSON.stringify(stubs)).not.toMatch(/green|blue/);
    expect([get(), changes]).toEqual(['red', ['a ->red']]);
    onList(stubs, '21');
    expect(changes).toEqual(['a ->red', 'a red>green', 'b ->blue']);
  });

  it('an answer of ours that came between two pages is newer than the page', () => {
    const { projection, get } = given();
    const { onList, slim = (item) => item } = projection.handler;
    const stub = slim(at('a', '20', 'green'));
    projection.learn(at('a', '25', 'white'));
    onList([stub], '26');
    expect(get()).toBe('white');
  });
});

describe('an object that cannot be read', () => {
  function reading() {
    const unreadable: string[] = [];
    const project = (object: KubeObject): string => (object.color as string).toUpperCase();
    const projection = createProjection(project, undefined, ({ metadata }) => unreadable.push(metadata.name));
    const bad = (version: string) => ({ ...at('bad', version, ''), color: null });
    return { projection, unreadable, bad };
  }

  it('keeps no other one out of a list, whether or not that comes in pages', () => {
    const { projection, unreadable, bad } = reading();
    projection.handler.onList([bad('1'), at('a', '2', 'red')], '3');
    expect(projection.values()).toEqual(['RED']);
    const { slim = (item: KubeObject) => item } = projection.handler;
    projection.handler.onList([bad('4'), at('b', '5', 'blue')].map(slim), '6');
    expect(projection.values()).toEqual(['BLUE']);
    expect(unreadable).toEqual(['bad']);
  });

  it('counts as absent, is reported once, and is read when it can be', () => {
    const { projection, unreadable, bad } = reading();
    projection.handler.onEvent({ type: 'ADDED', object: bad('1') });
    projection.handler.onEvent({ type: 'MODIFIED', object: bad('2') });
    expect([projection.get('test', 'bad'), unreadable]).toEqual([undefined, ['bad']]);
    projection.learn(at('bad', '3', 'red'));
    expect(projection.get('test', 'bad')).toBe('RED');
    projection.handler.onEvent({ type: 'MODIFIED', object: bad('4') });
    expect(unreadable).toEqual(['bad', 'bad']);
  });

  it('a listener that fails on one object receives the others of a list', () => {
    const { projection } = reading();
    const read: string[] = [];
    projection.onChange(({ name }) => {
      if (name === 'a') throw new Error('cannot be handled');
      read.push(name);
    });
    expect(() => projection.handler.onList([at('a', '1', 'red'), at('b', '2', 'red')], '3')).toThrow('cannot be handled');
    expect([read, projection.values()]).toEqual([['b'], ['RED', 'RED']]);
  });

  it('knows no deleted object by its version for ever, and lets no late answer bring one back', () => {
    const { projection, changes, get } = given();
    const count = 1_000;
    const gone = Array.from({ length: count }, (_, n) => `gone-${n}`);
    for (const [n, name] of gone.entries()) {
      projection.handler.onEvent({ type: 'ADDED', object: at(name, `${20 + 2 * n}`, 'grey') });
      projection.handler.onEvent({ type: 'DELETED', object: at(name, `${21 + 2 * n}`, 'grey') });
    }
    changes.length = 0;
    for (const [n, name] of gone.entries()) projection.learn(at(name, `${20 + 2 * n}`, 'late'));
    expect(changes).toEqual([]);
    projection.learn(at('gone-0', `${21 + 2 * count}`, 'new'));
    expect([projection.get('test', 'gone-0'), get()]).toEqual(['new', 'red']);
  });
});
