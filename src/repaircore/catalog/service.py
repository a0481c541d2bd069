"""List the makes, models, trims and engines that were sold, and search for models by model year."""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Annotated, Final

from attrs import frozen

from repaircore.catalog.engines import engines_in_entries, engines_in_table, select_engines
from repaircore.catalog.epa_entries import EpaReader
from repaircore.catalog.listing import covers, listed_models
from repaircore.catalog.model import EARLIEST, CatalogEntry, Engine, Make, ModelEngines
from repaircore.catalog.model_names import match_names, unique_names
from repaircore.catalog.model_years import ModelQuery, ModelYear, parse_model_query, parse_model_year_id
from repaircore.catalog.ports import CatalogWork, EngineTable, Makes, OpenWork, VinModels
from repaircore.catalog.suggestions import similar_models
from repaircore.catalog.trims import single_trims
from repaircore.kernel.imports import DEFAULT_OPTIONS, FileImport, ImportOptions, ImportResult, Upload
from repaircore.kernel.rules import Length, Range, require_valid
from repaircore.kernel.spelling import key, make_key, make_name, words_key
from repaircore.kernel.types import Clock, Lazy

_DEFAULT_LIMIT: Final = 20
_BATCH: Final = 1000


@frozen(kw_only=True)
class SearchModelYears:
    """A search for models by model year; without a limit, it returns at most 20."""

    q: Annotated[str, Length(0, 100)] = ""
    limit: Annotated[int | None, Range(1, 100)] = None


@frozen(kw_only=True)
class Catalog:
    """Use cases for the catalog.

    It merges three sources: VIN patterns, the engine table, and imported entries.
    Names match regardless of case and punctuation. The lists are empty for an unknown make or model, or a year that
    the catalog does not cover.
    """

    transaction: OpenWork
    read: OpenWork
    sold: Lazy[Makes]
    models_known: VinModels
    table: EngineTable
    clock: Clock

    def list_makes(self, year: int | None = None) -> Sequence[str]:
        """List the makes sold in a model year, or in any year, in alphabetical order."""
        with self.read() as work:
            imported = work.catalog.list_makes(year)
        ours = {make.name: make for make in self.sold().values()}
        sold = [name for name, make in ours.items() if covers(make.years, year, newest=self._newest())]
        return unique_names([*sold, *imported])

    def list_models(self, make: str, year: int | None = None) -> Sequence[str]:
        """List the models of a make sold in a model year, or in any year, in alphabetical order."""
        known_make = self._make(make)
        with self.read() as work:
            imported = work.catalog.list_models(known_make.name, year)
        return unique_names([*self._models(known_make, year), *imported])

    def list_similar(self, year: int, make: str, model: str) -> Sequence[str]:
        """List up to three models of that year that a misspelled make or model may mean, such as "Hyundai Sonata"."""
        return similar_models(
            make, model, makes=self.list_makes(year), models=lambda name: self.list_models(name, year)
        )

    def list_years(self) -> Sequence[int]:
        """List the model years that the catalog covers, newest first."""
        return [*range(self._newest(), EARLIEST - 1, -1)]

    def list_trims(self, make: str, model: str, year: int) -> Sequence[str]:
        """List the trims of a model in a model year, in alphabetical order."""
        known_make = self._make(make)
        known = self._match_models(known_make.name, model)
        texts = [trim for sold in engines_in_table(known, year) for trim in sold.trims]
        texts += [
            trim.name
            for known_model in known
            for trim in known_model.trims
            if trim.first <= year <= trim.last
        ]
        if covers(known_make.years, year, newest=self._newest()):
            texts += [
                text
                for spelled in (known_make.name, *known_make.also)
                for text in self.models_known.trims(spelled, model, year)
            ]
        texts += [entry.trim for entry in self._imported(known_make.name, model, year) if entry.trim]
        return single_trims(texts)

    def list_engines(self, make: str, model: str, year: int, trim: str | None = None) -> Sequence[Engine]:
        """List the engines of a model in a model year, or of one of its trims, smallest first."""
        known_make = self._make(make)
        table = engines_in_table(self._match_models(known_make.name, model), year)
        imported = engines_in_entries(self._imported(known_make.name, model, year))
        known = table or imported
        return select_engines(table, imported, trim) if known else self._declared(known_make, model, year)

    def list_known_engines(self, year: int, make: str, model: str) -> Sequence[CatalogEntry]:
        """List the imported entries of a model in a year, and an entry for each of its engines in the engine table."""
        known_make = self._make(make)
        return [
            *self._imported(known_make.name, model, year),
            *(
                CatalogEntry(
                    make=known_make.name,
                    model=found.name,
                    published=found.name,
                    year=year,
                    engine=sold.engine,
                )
                for found in self._match_models(known_make.name, model)
                for sold in engines_in_table([found], year)
            ),
        ]

    def list_engines_as_trim(self, year: int, make: str, model: str) -> Sequence[CatalogEntry]:
        """List the engines of a model that was a trim of another model in that year: a 2013 WRX is an Impreza.

        The list is empty if it was a model of its own, or if several models had such a trim.
        """
        table = self.table.list_for_make(self._make(make).name)
        later = {
            words_key(sold_model.name) for sold_model in table if not engines_in_table([sold_model], year)
        }
        found = [
            CatalogEntry(
                make=self._make(make).name,
                model=known.name,
                published=f"{known.name} {trim}",
                year=year,
                engine=sold.engine,
                trim=trim,
            )
            for known in table
            for sold in engines_in_table([known], year)
            for trim in sold.trims
            if key(model) in {key(trim), key(f"{known.name} {trim}")} and _begins_with(trim, later)
        ]
        return found if len({entry.model for entry in found}) == 1 else ()

    def search_model_years(self, query: str = "", *, limit: int | None = None) -> Sequence[ModelYear]:
        """Search for models by words, beginnings of words, or a model year; see ``SearchModelYears``.

        Models with more whole matches come first, then newer ones.

        Raises:
            Invalid: on ``q`` or ``limit``.
        """
        require_valid(SearchModelYears(q=query, limit=limit))
        parsed = parse_model_query(query, first=EARLIEST, last=self._newest())
        return list(islice(self._matches(parsed), limit or _DEFAULT_LIMIT))

    def find_model_year(self, model_id: str) -> ModelYear | None:
        """Return the model in a model year that has this ID, or None."""
        parts = parse_model_year_id(model_id)
        if parts is None:
            return None
        year, named_make, named_model = parts
        makes = (make for make in self.list_makes(year) if make_key(make) == named_make)
        sold = ((make, model) for make in makes for model in self.list_models(make, year))
        return next(
            (
                ModelYear(make=make, model=model, year=year)
                for make, model in sold
                if key(model) == named_model
            ),
            None,
        )

    def _matches(self, parsed: ModelQuery) -> Iterator[ModelYear]:
        models = cache(self.list_models)
        found: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
        for make in self.list_makes(parsed.year):
            for model in models(make, parsed.year):
                found[parsed.agreement(make, model)].append((make, model))
        years = self.list_years() if parsed.year is None else (parsed.year,)
        for agreement in sorted(found.keys() - {0}, reverse=True):
            for year in years:
                for make, model in found[agreement]:
                    if model in models(make, year):
                        yield ModelYear(make=make, model=model, year=year)

    def export_entries(self) -> Iterator[CatalogEntry]:
        """Yield every imported entry, reading a thousand at a time."""
        last: CatalogEntry | None = None
        while True:
            with self.read() as work:
                batch = work.catalog.list_after(last, limit=_BATCH)
            yield from batch
            if len(batch) < _BATCH:
                return
            last = batch[-1]

    def import_file(self, upload: Upload, options: ImportOptions = DEFAULT_OPTIONS) -> ImportResult:
        """Import the EPA's vehicle file; rows that are already stored change nothing.

        Raises:
            Invalid: on ``file``: required columns are missing, or it is not valid CSV.
            Conflict: the same file is being imported elsewhere.
        """
        reading = EpaReader(find_make=self._make, list_models=self._models_of)
        return FileImport(
            kind="vehicles",
            read_rows=reading.entries,
            save_rows=_save,
            transaction=self.transaction,
            clock=self.clock,
        ).run(upload, options)

    def _declared(self, make: Make, model: str, year: int) -> Sequence[Engine]:
        """List the engines that manufacturers declared to vPIC, for models neither in the table nor imported."""
        if not covers(make.years, year, newest=self._newest()):
            return ()
        spelled = (make.name, *make.also)
        return next(filter(None, (self.models_known.engines(name, model, year) for name in spelled)), ())

    def _make(self, make: str) -> Make:
        """Return a make; an unlisted one has no years."""
        known = self.sold().get(make_key(make))
        return known or Make(name=make_name(make), years=())

    def _match_models(self, make: str, model: str) -> Sequence[ModelEngines]:
        models = {known.name: known for known in self.table.list_for_make(make)}
        return [models[name] for name in match_names(models, model, make=make)]

    def _imported(self, make: str, model: str, year: int) -> Sequence[CatalogEntry]:
        with self.read() as work:
            return work.catalog.list_for_model(make=make, model=model, year=year)

    def _models_of(self, make: str) -> Sequence[str]:
        return self._models(self._make(make), None)

    def _models(self, make: Make, year: int | None) -> Sequence[str]:
        known = {
            model: spans
            for spelled in (make.name, *make.also)
            for model, spans in self.models_known.models(spelled).items()
        }
        return listed_models(make, known, self.table.list_for_make(make.name), year, newest=self._newest())

    def _newest(self) -> int:
        return self.clock().year + 1


def _begins_with(trim: str, models: Container[Sequence[str]]) -> bool:
    words = words_key(trim)
    return any(words[:count] in models for count in range(1, len(words) + 1))


def _save(work: CatalogWork, entries: Sequence[CatalogEntry]) -> int:
    return work.catalog.add(entries)
