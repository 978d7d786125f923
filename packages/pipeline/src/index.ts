export * from './ports.ts'
