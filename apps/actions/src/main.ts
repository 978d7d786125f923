// `shardwalk classify <file>...`: reads traces from files and prints their actions, one JSON line per file.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { classifyTrace, parseTraceFile, rowToJson, TraceFileError } from '@shardwalk/actions'

const USAGE = `usage: shardwalk classify <file>...

Reads trace files (format: fixtures/traces/README.md; .gz is decompressed; - is standard input)
and prints one JSON line per file:
  {"trace_id": ..., "state": "ok" | "failed", "actions": [row, ...]}
Errors of the classifier go to standard error; the line then has the basic actions only.
Exit code: 0 if every file was classified, 1 if a file could not be read or an error occurred.`

/** Returns the exit code. */
export function main(files: readonly string[]): number {
  if (files.length === 0 || files.includes('--help') || files.includes('-h')) {
    console.error(USAGE)
    return files.length === 0 ? 1 : 0
  }
  return files.map(classifyFile).every(Boolean) ? 0 : 1
}

/** Returns whether the file was read and no matcher failed. */
function classifyFile(file: string): boolean {
  try {
    const { trace, facts } = parseTraceFile(readText(file))
    const { state, actions, failures } = classifyTrace(trace, facts)
    console.log(rowToJson({ trace_id: trace.traceId, state, actions }))
    for (const { matcher, messageHash, error, stack } of failures)
      console.error(`${file}: ${matcher} failed at message ${messageHash ?? '-'}: ${stack ?? error}`)
    return failures.length === 0
  } catch (error) {
    if (!(error instanceof TraceFileError) && !isFileError(error)) throw error
    console.error(`${file}: ${error.message}`)
    return false
  }
}

function readText(file: string): string {
  const bytes = readFileSync(file === '-' ? 0 : file)
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b
  return (packed ? gunzipSync(bytes) : bytes).toString('utf8')
}

/** Whether the file is missing, unreadable or not valid gzip. */
const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2))
