import { writeFileSync } from 'node:fs'
import { configurationDoc } from './config/configuration-doc.ts'

writeFileSync(new URL('../../../docs/configuration.md', import.meta.url), configurationDoc())
