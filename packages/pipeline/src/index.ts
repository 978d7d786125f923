export * from './errors.ts'
export * from './ports.ts'
