import { totalmem } from 'node:os'
import { afterEach, expect, test, vi } from 'vitest'
import { postgresSettings } from './settings.ts'

const GIB = 2 ** 30
const settingsOf = (given?: { readonly memoryBytes: number }): Record<string, string> =>
  Object.fromEntries(postgresSettings(given).map(({ name, value }) => [name, value]))

afterEach(() => vi.restoreAllMocks())

test.each([
  ['1 GiB', 1 * GIB, '154MB'],
  ['2 GiB', 2 * GIB, '307MB'],
])(
  'in a container of %s buffers are a share of its memory, however large the machine is',
  (_, limit, buffers) => {
    vi.spyOn(process, 'constrainedMemory').mockReturnValue(limit)
    expect(settingsOf()).toMatchObject({
      shared_buffers: buffers,
      effective_cache_size: `${(limit / GIB / 2) * 1024}MB`,
    })
  },
)

test.each([0, undefined, 2 ** 64])(
  'without a limit, reported as %s, they are a share of the machine',
  (limit) => {
    vi.spyOn(process, 'constrainedMemory').mockReturnValue(limit as number)
    expect(settingsOf()).toEqual(settingsOf({ memoryBytes: totalmem() }))
  },
)
