export { type Devnet, startDevnet, startDevnets } from './devnet.ts'
export { folderHolder, lockFolder } from './lock.ts'
export { processIdentity } from './process.ts'
