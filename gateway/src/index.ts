export { isLocal } from './door/local.ts'
export { startGateway } from './start.ts'
