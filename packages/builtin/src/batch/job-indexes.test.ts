import { describe, expect, it } from 'vitest';
import { checkIndexes, type Indexes, overlapProblem } from './job-indexes.ts';

describe('indexes below 10', () => {
  it.each<[string, Indexes]>([
    ['', { total: 0 }],
    ['1,3-5,9', { total: 5 }],
    ['12', { problem: 'too large index: "12"' }],
    ['5-50', { problem: 'too large index: "50"' }],
    ['x', { problem: 'cannot convert string to integer for index: "x"' }],
    ['5-x', { problem: 'cannot convert string to integer for index: "x"' }],
    ['5-3', { problem: 'non-increasing order, previous: 5, current: 3' }],
    ['5,3', { problem: 'non-increasing order, previous: 5, current: 3' }],
    [
      '3-5-6',
      {
        problem:
          'the fragment "3-5-6" violates the requirement that an index interval can have at most two parts separated by \'-\'',
      },
    ],
  ])('%j', (text, indexes) => {
    expect(checkIndexes(text, 10)).toEqual(indexes);
  });
});

describe('indexes that are both completed and failed', () => {
  it.each<[string, string, number | undefined]>([
    ['1,3', '2,4', undefined],
    ['1-3', '3', 3],
    ['5', '1-2,4-6', 5],
    ['1,7-9', '0,2-6', undefined],
    ['x,4', '4', 4],
    ['', '1', undefined],
  ])('%j and %j', (completed, failed, index) => {
    const problem = index === undefined ? undefined : `failedIndexes and completedIndexes overlap at index: ${index}`;
    expect(overlapProblem(completed, failed, 10)).toBe(problem);
  });
});
