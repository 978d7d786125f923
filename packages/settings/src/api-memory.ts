import type { Settings } from './definition.ts'

/**
 * Of glibc, which gives threads arenas of their own, eight per core, and keeps what was freed in each.
 */
const ARENAS = '2'

/**
 * Environment with which the API process is started: its heap is limited by `API_HEAP_MIB`, unless
 * `NODE_OPTIONS` has a limit already.
 */
export function apiMemory(
  { apiHeapMib }: Pick<Settings, 'apiHeapMib'>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const given = env['NODE_OPTIONS'] ?? ''
  const limit = /--max[-_]old[-_]space[-_]size/.test(given) ? [] : [`--max-old-space-size=${apiHeapMib}`]
  return {
    NODE_OPTIONS: [given, ...limit].filter((option) => option !== '').join(' '),
    MALLOC_ARENA_MAX: env['MALLOC_ARENA_MAX'] ?? ARENAS,
  }
}
