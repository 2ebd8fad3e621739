export { ageColumn, column, nameColumn, nameColumnWith, plainColumns } from '@tsukube/apiserver';
