import { writeFileSync } from 'node:fs'
import { stateMachines } from './state-machines.ts'
import { statesDoc } from './states-doc.ts'

writeFileSync(new URL('../../../../docs/states.md', import.meta.url), statesDoc(stateMachines()))
