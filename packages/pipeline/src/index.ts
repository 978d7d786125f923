export * from './errors.ts'
export * from './plan.ts'
export * from './ports.ts'
