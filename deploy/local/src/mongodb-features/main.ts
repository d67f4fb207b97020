import { readFileSync, writeFileSync } from 'node:fs'
import { featureTable } from './features.ts'
import { manualFile, usesOfSources, withTable } from './sources.ts'

writeFileSync(manualFile, withTable(readFileSync(manualFile, 'utf8'), featureTable(usesOfSources())))
