// A thread does not inherit the loader that reads TypeScript when tests load the pool through a transformer of their own.
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
