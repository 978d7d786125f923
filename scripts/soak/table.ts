import type { Row } from './observer.ts'

const percent = (share: number) => (share * 100).toFixed(1)
const whole = (value: number | undefined) => (value === undefined ? '-' : value.toFixed(0))

type Column = readonly [name: string, width: number, text: (row: Row, index: number) => string]

const COLUMNS: readonly Column[] = [
  ['min', 3, (_, index) => String(index + 1)],
  ['lag s', 5, (row) => row.lag.toFixed(1)],
  ['miss', 4, (row) => String(row.missing)],
  ['wait', 5, (row) => String(row.waiting)],
  ['tx', 7, (row) => whole(row.transactions)],
  ['MB', 6, (row) => whole(row.sizeMb)],
  ['queues', 6, (row) => row.queuesMb.toFixed(1)],
  ['dead %', 6, (row) => percent(row.deadShare)],
  ['free %', 6, (row) => percent(row.freeShare)],
  ['most dead', 24, ({ worst }) => `${worst.table.slice(0, 18)} ${percent(worst.deadShare)}`],
  ['ingest', 6, ({ memory }) => whole(memory.ingest)],
  ['action', 6, ({ memory }) => whole(memory.actions)],
  ['api', 4, ({ memory }) => whole(memory.api)],
  ['pg', 4, ({ memory }) => whole(memory.postgres)],
  ['p99', 5, (row) => whole(row.p99)],
  ['req', 5, (row) => String(row.requests)],
  ['503', 4, (row) => String(row.refused)],
  ['bad', 3, (row) => String(row.failed.length)],
  ['locks', 5, (row) => `${row.lockWaits}/${row.advisoryWaits}`],
  ['wait s', 6, (row) => row.longestWait.toFixed(1)],
  ['conn', 4, (row) => String(row.connections)],
  ['temp', 4, (row) => String(row.tempFiles)],
  ['CPU %', 5, (row) => whole(row.cpuPercent)],
]

export const LEGEND = `lag: of the head, the most in the minute; miss: blocks that are not indexed
wait: contracts, batches and traces in queues; tx, MB: of the database
queues: MB of queues and progress with their indexes
dead, free: of all tables' bytes, and the table with most
ingest to pg: MB of their own, the most in the minute; p99: ms
503: refused after a kill; bad: other 5xx, or no answer
locks: statements that wait for rows or tables / for advisory locks, the most at once
wait s: the longest such wait; temp: files since the last crash`

export const header = (): string => COLUMNS.map(([name, width]) => name.padStart(width)).join(' ')

export const formatRow = (row: Row, index: number): string =>
  [...COLUMNS.map(([, width, text]) => text(row, index).padStart(width)), ...new Set(row.kills)].join(' ')
