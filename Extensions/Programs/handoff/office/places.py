"""Where in a document of an office program the person is: read there, and gone to here."""

import re

from handoff.documents import natural
from handoff.office.connection import UnoException

# A cell as people write it.
CELL = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
# The longest name of a sheet that is compared.
MAXIMUM_NAME = 255
# The greatest number of a page (XPageCursor.jumpToPage takes a short).
MAXIMUM_PAGE = 32767


class Text:
    """A document of Writer: the page in which the cursor is."""

    SERVICE = "com.sun.star.text.TextDocument"

    @staticmethod
    def read(model):
        """The place as userInfo has it."""
        return {"page": model.getCurrentController().getViewCursor().getPage()}

    @staticmethod
    def go(model, info):
        """Goes to the page, or to the last one there is."""
        page = natural(info.get("page"), None)
        if page:
            model.getCurrentController().getViewCursor().jumpToPage(min(page, MAXIMUM_PAGE))


class Spreadsheet:
    """A document of Calc: the sheet, and the cell that is selected, or the first one of several."""

    SERVICE = "com.sun.star.sheet.SpreadsheetDocument"

    @staticmethod
    def read(model):
        """The place as userInfo has it; without a cell where something else is selected, such as a picture."""
        place = {"sheet": model.getCurrentController().getActiveSheet().getName()}
        selected = model.getCurrentSelection()
        if selected is not None and hasattr(selected, "getRangeAddresses"):
            addresses = selected.getRangeAddresses()
            address = addresses[0] if addresses else None
        else:
            address = selected.getRangeAddress() if hasattr(selected, "getRangeAddress") else None
        if address is not None:
            place["cell"] = f"{column_name(address.StartColumn)}{address.StartRow + 1}"
        return place

    @staticmethod
    def go(model, info):
        """Goes to the sheet of that name and the cell, as far as there are such."""
        controller, sheets = model.getCurrentController(), model.getSheets()
        name, cell = info.get("sheet"), info.get("cell")
        if isinstance(name, str) and len(name) <= MAXIMUM_NAME and sheets.hasByName(name):
            sheet = sheets.getByName(name)
            # A sheet that the person has hidden stays so.
            if not sheet.IsVisible:
                return
            controller.setActiveSheet(sheet)
        place = CELL.fullmatch(cell) if isinstance(cell, str) else None
        if place:
            column, row = column_number(place[1]), int(place[2]) - 1
            controller.select(controller.getActiveSheet().getCellByPosition(column, row))


class Presentation:
    """A document of Impress: the slide, or that which is presented."""

    SERVICE = "com.sun.star.presentation.PresentationDocument"
    KEY = "slide"

    @classmethod
    def read(cls, model):
        """The place as userInfo has it."""
        presented = getattr(model, "Presentation", None)
        show = presented.getController() if presented is not None and presented.isRunning() else None
        if show is not None and show.getCurrentSlideIndex() >= 0:
            return {cls.KEY: show.getCurrentSlideIndex() + 1}
        return {cls.KEY: model.getCurrentController().getCurrentPage().Number}

    @classmethod
    def go(cls, model, info):
        """Goes to the slide, or to the last one there is."""
        number, pages = natural(info.get(cls.KEY), None), model.getDrawPages()
        if number:
            model.getCurrentController().setCurrentPage(pages.getByIndex(min(number, pages.getCount()) - 1))


class Drawing(Presentation):
    """A document of Draw: the page."""

    SERVICE = "com.sun.star.drawing.DrawingDocument"
    KEY = "page"


KINDS = (Text, Spreadsheet, Presentation, Drawing)


def kind_of(model):
    """Which kind of document it is; None if another one, such as a database."""
    return next((kind for kind in KINDS if model.supportsService(kind.SERVICE)), None)


def read(model):
    """The place in a document as userInfo has it; empty where its window tells none, such as a preview."""
    try:
        return kind_of(model).read(model)
    except (UnoException, AttributeError):
        return {}


def go(model, info):
    """Goes to a place in a document, as far as there is such a place."""
    kind = kind_of(model)
    try:
        if kind:
            kind.go(model, info)
    except (UnoException, AttributeError, ValueError):
        # The document is shown, if at another place.
        pass


def column_name(number):
    """The letters of a column, which is counted from 0."""
    name = ""
    while number >= 0:
        name = chr(ord("A") + number % 26) + name
        number = number // 26 - 1
    return name


def column_number(name):
    """A column from its letters, counted from 0."""
    number = 0
    for letter in name:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
