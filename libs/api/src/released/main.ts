import { writeFileSync } from 'node:fs'
import { apis, apiVersion } from '../apis.ts'
import { surfaceOf } from './surface.ts'

/** A release is written once, and stays as it is. */
const file = new URL(`../../../../docs/released/${apiVersion}.json`, import.meta.url)
const lines = Object.entries(surfaceOf(Object.values(apis))).map(([name, promised]) => `${JSON.stringify(name)}: ${JSON.stringify(promised)}`)
writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`, { flag: 'wx' })
