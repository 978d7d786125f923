export { archiveRange, bringBack, listArchive } from './archive-range.ts'
export { ArchiveFailed, ArchiveRefused, isArchiveAway, RangeArchived } from './errors.ts'
export type { ArchivedPartition, Moved, OnStep } from './move.ts'
export { followPort } from './server.ts'
