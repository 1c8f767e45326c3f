import { differencesOf, plain } from './plain';

it('a plain value is what would be stored', () => {
  const refunds = new Map([['r1', { amountMinor: 5n, gone: undefined }]]);
  expect(plain({ refunds, list: [1n], none: null })).toEqual({
    refunds: { r1: { amountMinor: '5' } },
    list: ['1'],
    none: null,
  });
  expect(plain(undefined)).toBeNull();
});

it.each([
  [{ a: 1, b: [1, { c: 'x' }] }, { b: [1, { c: 'x' }], a: 1 }, []],
  [{ a: 1 }, { a: 2 }, [{ field: 'a', before: 1, after: 2 }]],
  [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }, [{ field: 'a[0].b', before: 1, after: 2 }]],
  [{ a: { b: 1 } }, {}, [{ field: 'a', before: { b: 1 }, after: undefined }]],
  [{}, { a: ['x'] }, [{ field: 'a', before: undefined, after: ['x'] }]],
  [{ a: null }, { a: { b: 1 } }, [{ field: 'a', before: null, after: { b: 1 } }]],
  [{ a: [] }, { a: {} }, [{ field: 'a', before: [], after: {} }]],
  [{ a: ['x'] }, { a: ['x', 'y'] }, [{ field: 'a[1]', before: undefined, after: 'y' }]],
  [{}, { a: {} }, [{ field: 'a', before: undefined, after: {} }]],
  [{ a: null }, {}, [{ field: 'a', before: null, after: undefined }]],
  [{ a: '1' }, { a: 1 }, [{ field: 'a', before: '1', after: 1 }]],
  [{ a: [1] }, { a: 1 }, [{ field: 'a', before: [1], after: 1 }]],
  [1, 2, [{ field: '', before: 1, after: 2 }]],
  [{}, {}, []],
])('%j and %j differ in %j', (before, after, differences) => {
  expect(differencesOf(before, after)).toEqual(differences);
});
