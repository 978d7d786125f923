import { expect, test } from 'vitest'
import { apiMemory } from './api-memory.ts'

test('the API has the heap of its setting, unless the operator gave Node another', () => {
  expect(apiMemory({ apiHeapMib: 256 }, {}, 2)).toEqual({
    NODE_OPTIONS: '--max-old-space-size=256 --max-semi-space-size=8 --v8-pool-size=1',
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: '16384',
    MALLOC_MMAP_MAX_: '16384',
    MALLOC_TRIM_THRESHOLD_: '131072',
  })
  const own = {
    NODE_OPTIONS: '--max_old_space_size=900 --max-semi-space-size=32 --v8_pool_size=2',
    MALLOC_ARENA_MAX: '8',
  }
  expect(apiMemory({ apiHeapMib: 256 }, own)).toMatchObject(own)
  expect(apiMemory({ apiHeapMib: 300 }, { NODE_OPTIONS: '--no-warnings' }, 16)['NODE_OPTIONS']).toBe(
    '--no-warnings --max-old-space-size=300 --max-semi-space-size=8 --v8-pool-size=4',
  )
})
