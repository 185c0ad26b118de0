import { describe, expect, it } from 'vitest';
import { revisionWithConfigs, trackedChecksums } from './revision.ts';

const template = `s1:${'ab'.repeat(32)}`;
const seen = (checksum?: string, resourceVersion = '1') => ({ uid: 'u', resourceVersion, ...(checksum && { checksum }) });

describe('revisionWithConfigs', () => {
  it('is the template’s own revision when nothing is tracked', () => {
    expect(revisionWithConfigs(template, {})).toBe(template);
    expect(revisionWithConfigs(template, { 'secret/regcred': seen() })).toBe(template);
  });

  it('changes with a checksum and with the set of tracked configs, not with versions, order or untracked configs', () => {
    const two = revisionWithConfigs(template, { 'configmap/a': seen('aa'), 'secret/b': seen('bb') });
    expect(two).toMatch(/^s1:[0-9a-f]{64}$/);
    expect(revisionWithConfigs(template, { 'secret/b': seen('bb', '9'), 'configmap/a': seen('aa', '8'), 'secret/c': seen() })).toBe(two);
    const others = [
      revisionWithConfigs(template, { 'configmap/a': seen('aa'), 'secret/b': seen('bc') }),
      revisionWithConfigs(template, { 'configmap/a': seen('aa') }),
      revisionWithConfigs(template, { 'secret/a': seen('aa'), 'secret/b': seen('bb') }),
      revisionWithConfigs(`s1:${'cd'.repeat(32)}`, { 'configmap/a': seen('aa'), 'secret/b': seen('bb') }),
    ];
    expect(new Set([two, template, ...others]).size).toBe(6);
  });

  it('an optional config that appears or goes is a new revision, tracked or not', () => {
    const absent = revisionWithConfigs(template, { 'configmap/a': {} });
    const untracked = revisionWithConfigs(template, { 'configmap/a': seen() });
    const tracked = revisionWithConfigs(template, { 'configmap/a': seen('aa') });
    expect(new Set([absent, untracked, tracked]).size).toBe(3);
    expect(untracked).toBe(template);
  });

  it('status shows the tracked ones only', () => {
    expect(trackedChecksums({ 'secret/b': seen('bb'), 'configmap/a': seen('aa'), 'secret/c': seen(), 'secret/d': {} })).toEqual({
      'configmap/a': 'aa',
      'secret/b': 'bb',
    });
    expect(trackedChecksums({})).toEqual({});
  });
});
