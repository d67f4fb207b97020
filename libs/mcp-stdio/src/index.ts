export { relayed } from './relay.ts'
