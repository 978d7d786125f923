import type { Response } from 'express'
import { expect, test } from 'vitest'
import { csvLine, type ExportFormat, streamExport } from './export.ts'

/** An export of a list without an end, of which each row takes a minute; ends with what was written. */
async function exportOfMinutes(format: ExportFormat, summary: boolean, rows: number): Promise<string> {
  let minutes = 0
  let written = ''
  const write = (text: string) => {
    written += text
    return true
  }
  const response = { setHeader() {}, addTrailers() {}, end() {}, write, req: {}, locals: {} }
  const request = {
    ...{ response: response as unknown as Response, format, summary },
    ...{ columns: ['n'], maxRows: rows, offset: 0 },
    pace: { rows: 1, rest: async () => {} },
    signal: new AbortController().signal,
    nextPage: async () => ({ items: [`{"n":${++minutes}}`], next: `after-${minutes}` }),
  }
  await streamExport(request, { now: () => minutes * 60_000 })
  return written
}

test('a long export with a summary ends before it is broken off, and says where it goes on', async () => {
  const lines = (await exportOfMinutes('ndjson', true, 1000)).trimEnd().split('\n')
  expect(lines.slice(-2)).toEqual([
    '{"n":8}',
    '{"_summary":{"rows":8,"complete":false,"next_cursor":"after-8"}}',
  ])
})

test('one whose end nobody would notice goes on', async () => {
  expect((await exportOfMinutes('ndjson', false, 20)).trimEnd().split('\n')).toHaveLength(20)
  expect((await exportOfMinutes('csv', true, 20)).trimEnd().split('\r\n')).toHaveLength(21)
})

test('integers in CSV keep all digits, alone and within objects', () => {
  const item = '{"id":18446744073709551615,"actions":[{"query_id":18446744073709551615}],"n":7}'
  expect(csvLine(item, ['id', 'actions', 'n'])).toBe(
    '18446744073709551615,"[{""query_id"":""18446744073709551615""}]",7\r\n',
  )
})

test('an export over HTTP/1.0 that fails is reset: an orderly end would make it look whole', async () => {
  let resets = 0
  const response = {
    ...{ setHeader() {}, write: () => true, locals: {}, destroy() {} },
    ...{ req: { httpVersion: '1.0' }, socket: { resetAndDestroy: () => resets++ } },
  }
  let pages = 0
  const broken = streamExport({
    ...{ response: response as unknown as Response, format: 'ndjson', summary: false, columns: [] },
    ...{ maxRows: 10, offset: 0, pace: { rows: 1, rest: async () => {} } },
    signal: new AbortController().signal,
    nextPage: async () => {
      if (pages++ > 0) throw new Error('the database is gone')
      return { items: ['{"n":1}'], next: 'after-1' }
    },
  })
  await expect(broken).rejects.toThrow('the database is gone')
  expect(resets).toBe(1)
})
