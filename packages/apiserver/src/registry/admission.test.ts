import type { KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { type AdmissionAttributes, type AdmissionPlugin, admissionChain, isolated, unobserved } from './admission.ts';
import { admissionAttributes } from './admission-attributes.ts';
import { sampleRegistry } from './sample-registry.ts';

async function attributesOf(object: object, oldObject?: object): Promise<AdmissionAttributes> {
  const { registry, context } = await sampleRegistry();
  const objects = { name: 'a', object: object as KubeObject, oldObject: oldObject as KubeObject | undefined };
  return admissionAttributes(oldObject ? 'UPDATE' : 'CREATE', registry.resource, objects, context);
}

/** Notes the calls of plugins, and whether they are reinvocations. */
function noting(name: string, calls: string[], act: (attributes: AdmissionAttributes) => void | Promise<void> = () => {}) {
  const note = (attributes: AdmissionAttributes) => {
    calls.push(attributes.reinvocation.isReinvocation ? `${name} again` : name);
    return act(attributes);
  };
  return { name, mutate: note, validate: note } satisfies AdmissionPlugin;
}

const request = ({ reinvocation }: AdmissionAttributes) => {
  reinvocation.isRequested = true;
};

describe('reinvocation', () => {
  it.each([
    ['synchronous', request],
    ['asynchronous', async (attributes: AdmissionAttributes) => request(attributes)],
  ])('runs mutating plugins once more if a %s one requests it', async (_, act) => {
    const calls: string[] = [];
    const { mutate, validate } = admissionChain([noting('first', calls), noting('second', calls, act)]);
    const attributes = await attributesOf({ metadata: {} });
    await mutate(attributes);
    expect(calls.splice(0)).toEqual(['first', 'second', 'first again', 'second again']);
    await validate(attributes);
    expect(calls).toEqual(['first again', 'second again']);
  });

  it('is one step and two runs of each plugin in metrics', async () => {
    const samples: string[] = [];
    const observer = {
      ...unobserved,
      plugin: (name: string) => () => void samples.push(name),
      step: (type: string) => () => void samples.push(type),
    };
    const { mutate } = admissionChain([noting('one', [], request)], observer);
    await mutate(await attributesOf({ metadata: {} }));
    expect(samples).toEqual(['one', 'one', 'admit']);
  });

  it('does not run after a rejection', async () => {
    const calls: string[] = [];
    const reject = () => {
      throw new Error('no');
    };
    const { mutate } = admissionChain([noting('first', calls, request), noting('second', calls, reject)]);
    const attributes = await attributesOf({ metadata: {} });
    expect(() => mutate(attributes)).toThrow('no');
    expect(calls).toEqual(['first', 'second']);
  });

  it('keeps the state of plugins', async () => {
    const seen: unknown[] = [];
    const { mutate } = admissionChain([
      noting('counter', [], (attributes) => {
        const { state } = attributes.reinvocation;
        seen.push(state.get('counter'));
        state.set('counter', 1);
        request(attributes);
      }),
    ]);
    await mutate(await attributesOf({ metadata: {} }));
    expect(seen).toEqual([undefined, 1]);
  });
});

describe('an isolated plugin', () => {
  const change = ({ object, oldObject }: AdmissionAttributes) => {
    for (const each of [object, oldObject]) if (each) each.metadata.labels = { changed: 'yes' };
  };

  it('changes the object only, and only while it mutates', async () => {
    const { mutate, validate } = admissionChain([isolated({ name: 'x', mutate: change, validate: change })]);
    const [object, oldObject] = [{ metadata: {} }, { metadata: {} }];
    const attributes = await attributesOf(object, oldObject);
    await validate(attributes);
    expect([object, oldObject]).toEqual([{ metadata: {} }, { metadata: {} }]);
    await mutate(attributes);
    expect([object, oldObject]).toEqual([{ metadata: { labels: { changed: 'yes' } } }, { metadata: {} }]);
  });
});
